# syntax=docker/dockerfile:1

# The package, as `npm pack` makes it of this tree.
FROM node:24-bookworm-slim AS pack
WORKDIR /src
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN mkdir /packed && npm pack --pack-destination /packed

# What runs: the package with the versions of its shrinkwrap, on the Node.js of the image instead of the one that comes with it.
FROM node:24-bookworm-slim AS install
WORKDIR /opt/bursar
COPY --from=pack /packed/*.tgz /packed/
RUN tar -xzf /packed/*.tgz --strip-components=1 --no-same-owner \
 && npm ci --omit=dev --no-audit --no-fund \
 && rm -r node_modules/node-linux-*

FROM node:24-bookworm-slim
LABEL org.opencontainers.image.title="Bursar" \
      org.opencontainers.image.description="The open, self-hosted merchant payments server" \
      org.opencontainers.image.licenses="Apache-2.0"
RUN install -d -o 1000 -g 1000 -m 0700 /data
COPY --from=install /opt/bursar /opt/bursar
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=4000 \
    DATA_DIR=/data
# The root file system may be read-only: what is written goes to DATA_DIR, which the embedded database alone needs.
USER 1000:1000
WORKDIR /data
VOLUME ["/data"]
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/opt/bursar/bin/bursar.js"]
CMD ["serve"]
