<?php

namespace App\Jobs;

use Illuminate\Bus\Queueable;
use Illuminate\Contracts\Queue\ShouldQueue;
use Illuminate\Support\Facades\DB;
use Illuminate\Support\Facades\Log;

class HandleBursarEvent implements ShouldQueue
{
    use Queueable;

    /** What fails is tried again: a worker that is told nothing would try once. */
    public int $tries = 10;
    /** Seconds before each. */
    public array $backoff = [1, 10, 60, 600];

    public function __construct(public string $id)
    {
    }

    /** What this writes and that the event is done are one commit: a job that runs twice acts once. */
    public function handle(): void
    {
        DB::transaction(function () {
            $row = DB::table('bursar_events')->where('id', $this->id)->whereNull('done_at')->lockForUpdate()->first();
            if ($row === null) {
                return;
            }
            $event = json_decode($row->body, true, 512, JSON_THROW_ON_ERROR);
            $payload = $event['payload'];
            match ($event['type']) {
                // Compare amount and currency with what you sell before you hand it out.
                'payment.completed' => Log::info(
                    "{$event['type']} {$payload['reference']} {$payload['amount']} {$payload['currency']}"
                ),
                default => Log::info($event['type']),
            };
            DB::table('bursar_events')->where('id', $this->id)->update(['done_at' => gmdate('Y-m-d H:i:s')]);
        });
    }
}
