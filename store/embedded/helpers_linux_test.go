package embedded

const mortal = true
