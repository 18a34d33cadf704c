import logging
import os
from contextlib import asynccontextmanager

from bursar import SignatureVerificationError, webhooks
from fastapi import BackgroundTasks, FastAPI, Request, Response
from fastapi.concurrency import run_in_threadpool

from inbox import keep, work_off

secret = os.environ["BURSAR_WEBHOOK_SECRET"]


def handle(event: dict) -> None:
    payload = event["payload"]
    if event["type"] == "payment.completed":
        # Compare amount and currency with what you sell before you hand it out.
        print(event["type"], payload["reference"], payload["amount"], payload["currency"], flush=True)
    else:
        print(event["type"], flush=True)


@asynccontextmanager
async def lifespan(_app: FastAPI):
    await run_in_threadpool(work_off, handle)  # what a crash has left
    yield


app = FastAPI(lifespan=lifespan)


@app.post("/webhooks/bursar")
async def bursar(request: Request, background: BackgroundTasks) -> Response:
    # The raw bytes, since those are signed: no model as a parameter, no request.json().
    body = await request.body()
    try:
        webhooks.verify(body, request.headers, secret)
    except SignatureVerificationError as error:
        logging.warning("%s", error)
        return Response(status_code=401)
    await run_in_threadpool(keep, request.headers["webhook-id"], body)
    background.add_task(work_off, handle)  # after the answer, which is due within 10 seconds
    return Response(status_code=204)
