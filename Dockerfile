# A tag can be moved to another image. `python deploy/container/pin.py update` pins all base images by digest, here and in the other
# files that name some; `python deploy/container/pin.py check` prints those that are not pinned.
ARG PYTHON_IMAGE=docker.io/library/python:3.13-slim

FROM ${PYTHON_IMAGE} AS base


FROM base AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_NO_CACHE_DIR=1 \
    PIP_NO_COMPILE=1 \
    PYTHONHASHSEED=0
WORKDIR /build

# Versions are not pinned, because nothing of these packages stays in the image. Not every base image has Python's headers.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends binutils gcc libc6-dev \
    && if ! test -e "$(python -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h"; then \
        apt-get install --yes --no-install-recommends python3-dev; fi

COPY requirements requirements
RUN python -m venv /opt/south-seas \
    && /opt/south-seas/bin/python -m pip install --no-deps --require-hashes -r requirements/image.lock \
    && python -m venv /opt/tools \
    && /opt/tools/bin/python -m pip install --no-deps --require-hashes -r requirements/image.lock -r requirements/compile.lock \
        -r requirements/site.lock

COPY . .
# 0: do not compile the engine.
ARG SOUTH_SEAS_COMPILE=1
# The timestamp of all files (Unix seconds), so that builds are reproducible.
ARG SOURCE_DATE_EPOCH=0
ARG REVISION=unknown
# Debugging information is two fifths of the installed size. The wheel gets a date of its own: a ZIP file has no dates before 1980.
# The site is built before the wheel, which contains it, and names the version of the package.
RUN SOUTH_SEAS_COMPILE=0 /opt/tools/bin/python setup.py --quiet egg_info \
    && /opt/tools/bin/python -m tools.site \
    && SOUTH_SEAS_COMPILE=$SOUTH_SEAS_COMPILE SOUTH_SEAS_REVISION=$REVISION SOURCE_DATE_EPOCH=315532800 \
        /opt/tools/bin/python -m pip wheel --no-deps --no-build-isolation --wheel-dir dist . \
    && /opt/south-seas/bin/python -m pip install --no-deps --no-index dist/*.whl \
    && /opt/south-seas/bin/python -m pip uninstall --yes pip \
    && find /opt/south-seas -name '*.so' -exec strip --strip-debug {} + \
    && SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH python deploy/container/collect.py /opt/south-seas /image


FROM scratch
COPY --from=build /image /
COPY --from=base /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/

# Without SOUTH_SEAS_REDIS_URL the service starts the server in the image, which stores the games in /data.
ENV PATH=/opt/south-seas/bin:/usr/local/bin:/usr/bin:/bin \
    LANG=C.UTF-8 \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt \
    SOUTH_SEAS_HOST=:: \
    SOUTH_SEAS_METRICS_HOST=:: \
    SOUTH_SEAS_PORT=8080 \
    SOUTH_SEAS_DATA_DIR=/data
EXPOSE 8080
VOLUME /data
# Numeric, so that Kubernetes can verify that it is not root.
USER 10001:10001
# Fail the build if a library is missing.
RUN ["python", "-c", "from importlib import import_module as load; import pkgutil, ssl, schemas, service; \
    names = [m.name for p in (schemas, service) for m in pkgutil.walk_packages(p.__path__, p.__name__ + '.')]; \
    [load(name) for name in names if not name.endswith('__main__')]; assert ssl.create_default_context().get_ca_certs(); print(len(names), 'modules load')"]
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD ["python", "-c", \
    "from os import environ as e; from urllib.request import urlopen; urlopen(f'http://127.0.0.1:{e[\"SOUTH_SEAS_PORT\"]}/livez', timeout=2)"]

ENTRYPOINT ["south-seas"]
CMD ["serve"]

# Last, because these change with every release.
ARG VERSION=1.0.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="South Seas" \
      org.opencontainers.image.description="Carcassonne: South Seas over HTTP, WebSocket and server-sent events" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
