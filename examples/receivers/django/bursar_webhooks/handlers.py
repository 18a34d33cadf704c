def handle(event: dict) -> None:
    payload = event["payload"]
    if event["type"] == "payment.completed":
        # Compare amount and currency with what you sell before you hand it out.
        print(event["type"], payload["reference"], payload["amount"], payload["currency"], flush=True)
    else:
        print(event["type"], flush=True)
