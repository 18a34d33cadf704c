<?php

declare(strict_types=1);

namespace Bursar\Http;

/** No answer came. */
final class Failure extends \RuntimeException
{
    /** @param bool $sent whether the request may have arrived */
    public function __construct(string $message, public readonly bool $timedOut, public readonly bool $sent)
    {
        parent::__construct($message);
    }

    /** Of an error of curl. */
    public static function ofCurl(int $number, string $message): self
    {
        // No such proxy or host, no connection, no TLS: nothing of the request was sent.
        return new self($message, $number === 28, !in_array($number, [5, 6, 7, 35, 60], true));
    }
}
