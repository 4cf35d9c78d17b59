"""What Prometheus may see: public things only.

Requests are not counted. Where an event is a request, their number is the number of events, which is private under some
neighbours, and counts by label would be counts of predictions; neither is paid for by any certificate. Whoever may know
the traffic puts a proxy in front that counts it.
"""

from datetime import UTC, datetime

from dprules.jobs.serving.public_file import PublicFile

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def write_metrics(file: PublicFile) -> str:
    """Return the state of the public file in Prometheus' text form.

    Parameters
    ----------
    file : PublicFile
        What is in force.
    """
    served = file.in_force
    certificate = served.released.certificate
    lines: list[str] = []

    def add(name: str, kind: str, meaning: str, value: float) -> None:
        lines.extend([f"# HELP dprules_{name} {meaning}", f"# TYPE dprules_{name} {kind}", f"dprules_{name} {value!r}"])

    if served.mark is not None:
        add("stream_rounds_total", "counter", "Rounds that the stream had seen.", served.mark.rounds)
        add("stream_releases_total", "counter", "Hypotheses that the stream had released.", served.mark.releases)
    age = served.age(datetime.now(UTC))
    if age is not None:
        add("model_age_seconds", "gauge", "Since the model in force was published.", age)
    add("model_verified", "gauge", "Whether the certificate holds for the model in force.", int(not served.faults))
    add("model_private", "gauge", "Whether its noise came from a cryptographic source.", int(certificate.private))
    add("model_current", "gauge", "Whether the newest public file is in force.", int(file.fault is None))
    add("epsilon", "gauge", "What the certificate claims.", certificate.epsilon)
    add("delta", "gauge", "What the certificate claims.", certificate.delta)
    return "\n".join(lines) + "\n"
