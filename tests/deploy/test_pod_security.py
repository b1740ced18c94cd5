"""Pods have no more permissions than they need."""

from tests.deploy.manifests import containers, list_resources, pod_templates, service_template


def test_namespace_takes_restricted_pods_alone(overlay: str) -> None:
    (namespace,) = list_resources(overlay, "Namespace")
    assert namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"


def test_pods_run_restricted(overlay: str) -> None:
    """The `restricted` Pod Security Standard, and no way to Kubernetes' API."""
    for _, template in pod_templates(overlay):
        pod = template["spec"]
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["runAsUser"] > 0
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert pod["automountServiceAccountToken"] is False
        assert not {"hostNetwork", "hostPID", "hostIPC", "initContainers"} & pod.keys()
        allowed = {"name", "configMap", "secret", "emptyDir", "persistentVolumeClaim"}
        assert all(volume.keys() <= allowed for volume in pod.get("volumes", ()))


def test_containers_cannot_write_to_their_root_nor_become_more(overlay: str) -> None:
    for _, container in containers(overlay):
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }


def test_containers_say_what_they_need_and_how_much_memory_is_too_much(overlay: str) -> None:
    for _, container in containers(overlay):
        resources = container["resources"]
        assert resources["requests"].keys() == {"cpu", "memory"}
        assert resources["limits"].keys() == {"memory"}


def test_images_are_named_with_their_version(overlay: str) -> None:
    for _, container in containers(overlay):
        _, colon, version = container["image"].rpartition(":")
        assert colon
        assert version not in {"", "latest"}


def test_kubernetes_adds_no_settings_of_its_own(overlay: str) -> None:
    """A Service called south-seas would otherwise set SOUTH_SEAS_PORT in every pod, to an address."""
    assert all(template["spec"]["enableServiceLinks"] is False for _, template in pod_templates(overlay))


def test_releases_are_counted_apart_in_the_spread(overlay: str) -> None:
    for constraint in service_template(overlay)["spec"]["topologySpreadConstraints"]:
        assert constraint["matchLabelKeys"] == ["pod-template-hash"]
