<?php

use Illuminate\Http\Request;
use Symfony\Component\HttpKernel\Exception\NotFoundHttpException;

require __DIR__ . '/bootstrap.php';

$app->instance(Request::class, $request = Request::capture());
try {
    $app['router']->dispatch($request)->send();
} catch (NotFoundHttpException) {
    http_response_code(404);
}
