<?php

// In routes/api.php, or required from it: routes of web.php would ask for a CSRF token, which Bursar has not.
use App\Http\Controllers\BursarWebhookController;
use Illuminate\Support\Facades\Route;

Route::post('/webhooks/bursar', BursarWebhookController::class);
