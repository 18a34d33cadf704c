<?php

declare(strict_types=1);

namespace Bursar;

use Bursar\Errors\SignatureVerificationError;

/** What a receiver of webhooks needs. */
final class Webhooks
{
    private const STANDARD = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
    private const MISMATCH = "No signature matches: the secret is another endpoint's, or the body is not the raw bytes that came.";

    /**
     * Checks that a delivery is from Bursar and fresh, and reads its event.
     *
     *     $event = \Bursar\Webhooks::verify(file_get_contents('php://input'), $_SERVER, $secret);
     *     if ($event->type === 'payment.completed') {
     *         complete($event->payload->reference, $event->payload->amount_received);
     *     }
     *
     * @param mixed $rawBody the body's bytes as they came, a string, before any parser has touched them
     * @param array<string, mixed> $headers the request's headers: of `getallheaders()`, of a PSR-7 request, of Laravel's or Symfony's
     *   `$request->headers->all()`, or `$_SERVER`
     * @param string|list<string> $secret the endpoint's `secret` (`weh_…`) or `standard_secret` (`whsec_…`); several, while one is replaced
     * @param int $tolerance how many seconds the delivery may be old, or ahead of your clock
     * @param bool $allowXSignature accept a delivery that has only `X-Signature`, which does not cover the time it was sent; its age is then
     *   that of the event's `timestamp`, so a retry is older than the first try
     *
     * @return Records\AnyEvent one of its classes by type, such as `Records\PaymentCompletedEvent`
     *
     * @throws SignatureVerificationError when it is not; answer 401, and act on nothing of it
     */
    public static function verify(
        mixed $rawBody,
        array $headers,
        #[\SensitiveParameter] string|array $secret,
        int $tolerance = 300,
        bool $allowXSignature = false,
    ): Records\AnyEvent {
        if (!is_string($rawBody)) {
            throw new SignatureVerificationError(
                'The body is a value of type ' . get_debug_type($rawBody) . ', and must be its raw bytes: JSON that is parsed and written again is other bytes.',
            );
        }
        $keys = array_map(self::keyOf(...), is_array($secret) ? $secret : [$secret]);
        if ($keys === []) {
            throw new SignatureVerificationError('There is no secret: give the one that the endpoint was registered with.');
        }
        $given = self::named($headers);
        $standard = array_intersect_key($given, array_flip(self::STANDARD)) !== [];
        if ($standard) {
            self::verifyStandard($rawBody, $given, $keys, $tolerance);
        } elseif ($allowXSignature) {
            self::verifyBody($rawBody, $given, $keys);
        } else {
            throw new SignatureVerificationError(
                'The request has no webhook-id, webhook-timestamp and webhook-signature: hand over all of its headers. '
                . 'X-Signature alone covers no time, so it may be a replay: only allowXSignature accepts it.',
            );
        }

        $event = json_decode($rawBody, true, 512, JSON_BIGINT_AS_STRING);
        if (!is_array($event) || !is_string($event['type'] ?? null)) {
            throw new SignatureVerificationError('The body is signed, but it is no event: it has no JSON with a type.');
        }
        if (!$standard) {
            self::requireFresh(self::secondsOf($event['timestamp'] ?? null), $tolerance);
        }
        return Record::read(Records\AnyEvent::class, $event);
    }

    private static function verifyStandard(string $body, array $given, array $keys, int $tolerance): void
    {
        foreach (self::STANDARD as $name) {
            if (($given[$name] ?? '') === '') {
                throw new SignatureVerificationError("The header $name is missing: hand over all of the request's headers.");
            }
        }
        [$id, $timestamp, $signatures] = array_map(static fn (string $name): string => $given[$name], self::STANDARD);
        if (!preg_match('/^[0-9]{1,15}$/D', $timestamp)) {
            throw new SignatureVerificationError("webhook-timestamp is no number of seconds: the delivery is not Bursar's.");
        }
        $ours = self::ofScheme(explode(' ', $signatures), 'v1,');
        if ($ours === []) {
            throw new SignatureVerificationError('webhook-signature has no signature of the scheme v1, the only one known here.');
        }
        $signed = "$id.$timestamp.$body";
        $expected = array_map(static fn (string $key): string => base64_encode(hash_hmac('sha256', $signed, $key, true)), $keys);
        if (!self::anyMatches($expected, $ours)) {
            throw new SignatureVerificationError(self::MISMATCH);
        }
        self::requireFresh((int) $timestamp, $tolerance);
    }

    /** The seconds since 1970 of an event's timestamp. */
    private static function secondsOf(mixed $timestamp): int
    {
        $isTime = is_string($timestamp) && preg_match('/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/D', $timestamp);
        $seconds = $isTime ? strtotime($timestamp) : false;
        if ($seconds === false) {
            throw new SignatureVerificationError('The body has no timestamp that is a time: refuse the request.');
        }
        return $seconds;
    }

    private static function requireFresh(int $seconds, int $tolerance): void
    {
        $age = time() - $seconds;
        if (abs($age) > $tolerance) {
            $which = $age > 0 ? "$age seconds old" : -$age . ' seconds ahead of your clock';
            throw new SignatureVerificationError(
                "The delivery is $which, and $tolerance are allowed: it may be a replay. Check that your clock is right.",
            );
        }
    }

    private static function verifyBody(string $body, array $given, array $keys): void
    {
        $theirs = array_filter([$given['x-signature'] ?? '', $given['x-signature-previous'] ?? '']);
        if ($theirs === []) {
            throw new SignatureVerificationError(
                'The request has no signature: neither webhook-id, webhook-timestamp and webhook-signature nor X-Signature.',
            );
        }
        $ours = self::ofScheme($theirs, 'sha256=');
        if ($ours === []) {
            throw new SignatureVerificationError('X-Signature is of an unknown scheme: sha256= is the only one known here.');
        }
        if (!self::anyMatches(array_map(static fn (string $key): string => hash_hmac('sha256', $body, $key), $keys), $ours)) {
            throw new SignatureVerificationError(self::MISMATCH);
        }
    }

    /** Those of a scheme, without its name. */
    private static function ofScheme(array $signatures, string $scheme): array
    {
        $own = array_filter($signatures, static fn (string $one): bool => str_starts_with($one, $scheme));
        return array_map(static fn (string $one): string => substr($one, strlen($scheme)), array_values($own));
    }

    /** Whether one is the other, in a time that does not tell how much of it is. */
    private static function anyMatches(array $expected, array $given): bool
    {
        $found = false;
        foreach ($expected as $one) {
            foreach ($given as $other) {
                $found = hash_equals($one, $other) || $found;
            }
        }
        return $found;
    }

    private static function keyOf(#[\SensitiveParameter] mixed $secret): string
    {
        $text = is_string($secret) ? trim($secret) : '';
        if ($text === '') {
            throw new SignatureVerificationError('There is no secret: give the one that the endpoint was registered with.');
        }
        if (!str_starts_with($text, 'whsec_')) {
            return $text;
        }
        $key = base64_decode(substr($text, 6), true);
        if ($key === false || $key === '') {
            throw new SignatureVerificationError('The secret begins with whsec_, but what follows is no base64.');
        }
        return $key;
    }

    /** The headers by their names in lower case. `$_SERVER` has them as `HTTP_WEBHOOK_ID`. */
    private static function named(array $headers): array
    {
        $named = [];
        foreach ($headers as $name => $value) {
            $name = strtolower(str_replace('_', '-', preg_replace('/^HTTP_/', '', (string) $name)));
            $named[$name] = is_array($value) ? implode(' ', array_map('strval', $value)) : (is_scalar($value) ? (string) $value : '');
        }
        return $named;
    }
}
