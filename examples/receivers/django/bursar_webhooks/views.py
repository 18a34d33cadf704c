import logging

from bursar import SignatureVerificationError, webhooks
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from .models import BursarEvent


@csrf_exempt  # the signature says who asks
@require_POST
def bursar(request: HttpRequest) -> HttpResponse:
    # request.body has the raw bytes, since those are signed.
    try:
        webhooks.verify(request.body, request.headers, settings.BURSAR_WEBHOOK_SECRET)
    except SignatureVerificationError as error:
        logging.getLogger(__name__).warning("%s", error)
        return HttpResponse(status=401)
    event = BursarEvent(id=request.headers["webhook-id"], body=request.body.decode())
    BursarEvent.objects.bulk_create([event], ignore_conflicts=True)
    return HttpResponse(status=204)  # the work is done by handle_bursar_events
