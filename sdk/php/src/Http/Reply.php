<?php

declare(strict_types=1);

namespace Bursar\Http;

/** What came back, whatever sent it. */
final class Reply
{
    /** @param array<string, string> $headers by their names in lower case */
    public function __construct(
        public readonly int $status,
        public readonly array $headers,
        public readonly string $body,
    ) {
    }

    /** After how many seconds to try again, where the answer says it. */
    public function retryAfter(): ?float
    {
        $text = trim($this->headers['retry-after'] ?? '');
        if (preg_match('/^\d+(\.\d+)?$/D', $text)) {
            return (float) $text;
        }
        $time = $text === '' ? false : strtotime($text);
        return $time === false ? null : (float) max(0, $time - time());
    }
}
