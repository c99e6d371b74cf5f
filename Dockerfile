# nAIber as one static binary in an image that has nothing else: no shell, no
# package manager, an unprivileged user, and the certificates to call out with.
# Time zones are inside the binary. PostgreSQL is not in here: set DATABASE_URL.
#
#   docker build -t naiber --build-arg VERSION=$(git describe --always --dirty) .
#
# Both bases are pinned: deploy/pin-images writes the digests that the registry has
# now, and the release refuses to build without them.

FROM golang:1.26-bookworm@sha256:a688600ca24f8a4d3ca77f95b0dd40704a9fc787c826660eb7ba0b641b8b175d AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
# By name, so that neither data/ nor anybody's notes are ever copied.
COPY main.go ./
COPY app ./app
COPY internal ./internal
COPY jobs ./jobs
COPY memory ./memory
COPY orchestration ./orchestration
COPY personas ./personas
COPY sql ./sql
COPY store ./store
COPY telephony ./telephony
ARG VERSION=container
RUN CGO_ENABLED=0 go build -trimpath \
      -ldflags "-s -w -X github.com/naiber/naiber/app/telemetry.release=${VERSION}" -o /out/naiber . \
 && mkdir /out/data

FROM gcr.io/distroless/static-debian12:nonroot@sha256:afa5c872c891853ca7fcf1f12c3edb23f7eeef36189728842dd51042ff57f7ab
COPY --from=build /out/naiber /usr/local/bin/naiber
COPY --from=build --chown=nonroot:nonroot /out/data /data
ENV NAIBER_DATA_DIR=/data NAIBER_LOG_FORMAT=json
VOLUME /data
EXPOSE 3000
USER nonroot
# SIGTERM lets live calls end: give it as long as server.call_drain and a minute.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s CMD ["/usr/local/bin/naiber", "healthcheck"]
ENTRYPOINT ["/usr/local/bin/naiber"]
CMD ["serve"]
