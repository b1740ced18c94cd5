FROM docker.io/library/python:3.13-slim AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_NO_CACHE_DIR=1
WORKDIR /build

COPY requirements.lock requirements-build.lock ./
RUN python -m venv /opt/south-seas \
    && /opt/south-seas/bin/python -m pip install --require-hashes -r requirements.lock \
    && python -m venv tools \
    && tools/bin/python -m pip install --require-hashes -r requirements-build.lock

COPY . .
RUN tools/bin/python -m pip wheel --no-deps --no-build-isolation --wheel-dir dist . \
    && /opt/south-seas/bin/python -m pip install --no-deps --no-index dist/*.whl \
    && /opt/south-seas/bin/python -m pip uninstall --yes pip


FROM docker.io/library/python:3.13-slim
LABEL org.opencontainers.image.title="South Seas" \
      org.opencontainers.image.description="Carcassonne: South Seas over HTTP, WebSocket and server-sent events" \
      org.opencontainers.image.licenses="MIT"

COPY --from=build /opt/south-seas /opt/south-seas

# There is no Redis server in the image: SOUTH_SEAS_REDIS_URL must name one.
ENV PATH=/opt/south-seas/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    SOUTH_SEAS_HOST=0.0.0.0 \
    SOUTH_SEAS_PORT=8080
EXPOSE 8080
# A number, so that Kubernetes can see that it is not root.
USER 10001:10001
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD ["python", "-c", \
    "from os import environ as e; from urllib.request import urlopen; urlopen(f'http://127.0.0.1:{e[\"SOUTH_SEAS_PORT\"]}/livez', timeout=2)"]

ENTRYPOINT ["south-seas"]
CMD ["serve"]
