<?php

namespace App\Http\Controllers;

use App\Jobs\HandleBursarEvent;
use Bursar\Errors\SignatureVerificationError;
use Bursar\Webhooks;
use Illuminate\Http\Request;
use Illuminate\Http\Response;
use Illuminate\Support\Facades\Bus;
use Illuminate\Support\Facades\DB;
use Illuminate\Support\Facades\Log;

class BursarWebhookController
{
    public function __invoke(Request $request): Response
    {
        // The raw bytes, since those are signed.
        $body = $request->getContent();
        try {
            Webhooks::verify($body, $request->headers->all(), config('services.bursar.webhook_secret'));
        } catch (SignatureVerificationError $error) {
            Log::warning($error->getMessage());

            return new Response('', 401);
        }

        // The id is the primary key: a repeat inserts nothing. The job comes after the row is committed, since a queue elsewhere
        // (Redis, SQS) may run it at once; and again with a repeat, until the event is done: the one before may be lost.
        $id = $request->header('webhook-id');
        DB::table('bursar_events')->insertOrIgnore(['id' => $id, 'body' => $body]);
        if (DB::table('bursar_events')->where('id', $id)->whereNull('done_at')->exists()) {
            Bus::dispatch(new HandleBursarEvent($id));
        }

        return new Response('', 204); // the work is the queue's: an answer is due within 10 seconds
    }
}
