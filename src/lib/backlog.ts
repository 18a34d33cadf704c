/**
 * Connections that may wait until the process takes them. The kernel drops the one that comes after them, and its client knocks again a second later, then
 * three, seven, fifteen and 31 after the first time. Node.js has 511, which many clients that come at once outrun; Linux itself ends at 4,096.
 */
export const backlog = 4_096
