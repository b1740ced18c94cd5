"""What may be in the resources that Kubernetes itself does not know, as far as they are used here.

Written by hand from the definitions of prometheus-operator v0.84 and of Gateway API v1.2, which are many times as long;
a field that is added to a manifest must be added here after a look at them. promtool checks PrometheusRules.
"""

from typing import Any

Schema = dict[str, Any]

DURATION = {"type": "string", "pattern": r"^(0|(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$"}
TEXTS = {"type": "object", "additionalProperties": {"type": "string"}}
NAME = {"type": "string", "pattern": r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"}


def object_schema(required: tuple[str, ...], **properties: Schema) -> Schema:
    """Return a schema of an object with these members and no other."""
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


def list_schema(items: Schema) -> Schema:
    """Return a schema of a list that is not empty."""
    return {"type": "array", "items": items, "minItems": 1}


METADATA = object_schema(("name", "namespace"), name=NAME, namespace=NAME, labels=TEXTS, annotations=TEXTS)


def resource_schema(version: str, kind: str, spec: Schema) -> Schema:
    """Return a schema of a resource."""
    return object_schema(
        ("apiVersion", "kind", "metadata", "spec"),
        apiVersion={"const": version},
        kind={"const": kind},
        metadata=METADATA,
        spec=spec,
    )


SERVICE_MONITOR = resource_schema(
    "monitoring.coreos.com/v1",
    "ServiceMonitor",
    object_schema(
        ("selector", "endpoints"),
        selector=object_schema(("matchLabels",), matchLabels=TEXTS),
        endpoints=list_schema(
            object_schema(
                ("port",),
                port={"type": "string"},
                path={"type": "string", "pattern": "^/"},
                interval=DURATION,
                scrapeTimeout=DURATION,
            )
        ),
    ),
)

HTTP_ROUTE = resource_schema(
    "gateway.networking.k8s.io/v1",
    "HTTPRoute",
    object_schema(
        ("parentRefs", "hostnames", "rules"),
        parentRefs=list_schema(object_schema(("name",), name=NAME, namespace=NAME, sectionName=NAME)),
        hostnames=list_schema({"type": "string"}),
        rules=list_schema(
            object_schema(
                ("matches", "backendRefs"),
                matches=list_schema(
                    object_schema(
                        ("path",),
                        path=object_schema(
                            ("type", "value"),
                            type={"enum": ["Exact", "PathPrefix", "RegularExpression"]},
                            value={"type": "string", "pattern": "^/"},
                        ),
                    )
                ),
                timeouts=object_schema((), request=DURATION, backendRequest=DURATION),
                backendRefs=list_schema(object_schema(("name", "port"), name=NAME, port={"type": "integer"})),
            )
        ),
    ),
)

SCHEMAS = {"ServiceMonitor": SERVICE_MONITOR, "HTTPRoute": HTTP_ROUTE}
