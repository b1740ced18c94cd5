"""What may be in the resources that Kubernetes itself does not know, as far as they are used here.

Written by hand from the definitions of prometheus-operator v0.84 and of Gateway API v1.2, which are many times as long;
a field that is added to a manifest must be added here after a look at them.
"""

from typing import Any

Schema = dict[str, Any]

DURATION = {"type": "string", "pattern": r"^(0|(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$"}
TEXTS = {"type": "object", "additionalProperties": {"type": "string"}}
NAME = {"type": "string", "pattern": r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"}


def closed(required: tuple[str, ...], **properties: Schema) -> Schema:
    """Return a schema of an object with these members and no other."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def several(items: Schema) -> Schema:
    """Return a schema of a list that is not empty."""
    return {"type": "array", "items": items, "minItems": 1}


METADATA = closed(("name", "namespace"), name=NAME, namespace=NAME, labels=TEXTS, annotations=TEXTS)


def resource(version: str, kind: str, spec: Schema) -> Schema:
    """Return a schema of a resource."""
    return closed(
        ("apiVersion", "kind", "metadata", "spec"),
        apiVersion={"const": version},
        kind={"const": kind},
        metadata=METADATA,
        spec=spec,
    )


SERVICE_MONITOR = resource(
    "monitoring.coreos.com/v1",
    "ServiceMonitor",
    closed(
        ("selector", "endpoints"),
        selector=closed(("matchLabels",), matchLabels=TEXTS),
        endpoints=several(
            closed(
                ("port",),
                port={"type": "string"},
                path={"type": "string", "pattern": "^/"},
                interval=DURATION,
                scrapeTimeout=DURATION,
            )
        ),
    ),
)

RULE = {
    **closed(
        ("expr",),
        alert={"type": "string"},
        record={"type": "string"},
        expr={"type": ["string", "integer"]},
        labels=TEXTS,
        annotations=TEXTS,
        keep_firing_for=DURATION,
        **{"for": DURATION},
    ),
    "oneOf": [{"required": ["alert"]}, {"required": ["record"]}],
}

PROMETHEUS_RULE = resource(
    "monitoring.coreos.com/v1",
    "PrometheusRule",
    closed(
        ("groups",),
        groups=several(closed(("name", "rules"), name={"type": "string"}, interval=DURATION, rules=several(RULE))),
    ),
)

HTTP_ROUTE = resource(
    "gateway.networking.k8s.io/v1",
    "HTTPRoute",
    closed(
        ("parentRefs", "hostnames", "rules"),
        parentRefs=several(closed(("name",), name=NAME, namespace=NAME, sectionName=NAME)),
        hostnames=several({"type": "string"}),
        rules=several(
            closed(
                ("matches", "backendRefs"),
                matches=several(
                    closed(
                        ("path",),
                        path=closed(
                            ("type", "value"),
                            type={"enum": ["Exact", "PathPrefix", "RegularExpression"]},
                            value={"type": "string", "pattern": "^/"},
                        ),
                    )
                ),
                timeouts=closed((), request=DURATION, backendRequest=DURATION),
                backendRefs=several(closed(("name", "port"), name=NAME, port={"type": "integer"})),
            )
        ),
    ),
)

SCHEMAS = {"ServiceMonitor": SERVICE_MONITOR, "PrometheusRule": PROMETHEUS_RULE, "HTTPRoute": HTTP_ROUTE}
