# The service on a machine of one's own: docs/operations.md "In a container".
FROM node:24-slim
# workerd asks webhooks' receivers and issuers over TLS by the system's certificate authorities.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /sila
COPY package.json package-lock.json ./
RUN npm ci --omit=dev && npm cache clean --force
COPY . .
# Here, so that a start needs no compiler and no file that can be written outside the volume.
RUN node --no-warnings src/commands/serve/build.ts && install --directory --owner=node --group=node /data
ENV DATA=/data HOST=0.0.0.0 PORT=8787
USER node
VOLUME /data
EXPOSE 8787
HEALTHCHECK --start-period=60s --timeout=5s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Without npm between: SIGTERM must reach this process.
CMD ["node", "--no-warnings", "--max-semi-space-size=1", "--max-old-space-size=128", "--optimize-for-size", "src/commands/serve/serve.ts"]
