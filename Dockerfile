FROM docker.io/library/python:3.13-slim AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_NO_CACHE_DIR=1 \
    PIP_NO_COMPILE=1
WORKDIR /build

# Whatever versions the base has of these are good: nothing of them stays. Not every base has Python's headers.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends binutils gcc libc6-dev \
    && if ! test -e "$(python -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h"; then \
        apt-get install --yes --no-install-recommends python3-dev; fi

COPY requirements.lock requirements-compile.lock ./
# What was compiled comes with its debugging information, two fifths of all that is installed.
RUN python -m venv /opt/south-seas \
    && /opt/south-seas/bin/python -m pip install --require-hashes -r requirements.lock \
    && find /opt/south-seas -name '*.so' -exec strip --strip-debug {} + \
    && python -m venv tools \
    && tools/bin/python -m pip install --require-hashes -r requirements.lock -r requirements-compile.lock

COPY . .
# The bytecode is valid whatever a builder does to the files' times: without it each start would compile everything anew.
# 0 leaves the engine as plain Python.
ARG SOUTH_SEAS_COMPILE=1
RUN SOUTH_SEAS_COMPILE=$SOUTH_SEAS_COMPILE tools/bin/python -m pip wheel --no-deps --no-build-isolation --wheel-dir dist . \
    && /opt/south-seas/bin/python -m pip install --no-deps --no-index dist/*.whl \
    && /opt/south-seas/bin/python -m pip uninstall --yes pip \
    && /opt/south-seas/bin/python -m compileall -q -f --invalidation-mode unchecked-hash /opt/south-seas/lib


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
