/**
 * Goal: the hosts of a URL are parsed as libpq parses them. `test/long/failover.test.ts` tests
 * failover with real servers.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseHosts } from './hosts.ts'

const place = (host: string, port = 5432) => ({ host, port })

describe('the hosts of a URL', () => {
  it('are left to the driver where there is one', () => {
    for (const url of [
      'postgres://u:p@db.example:5433/bursar?sslmode=require',
      'postgres://u@/bursar?host=/run/pg&port=1',
    ])
      assert.deepEqual(parseHosts(url), { url, servers: [] })
  })

  it('stand before the path, with ports of their own or none', () => {
    assert.deepEqual(
      parseHosts(
        'postgres://u:a%40b@one:5433,two,[::1]:6000/bursar?sslmode=require&target_session_attrs=read-write',
      ),
      {
        url: 'postgres://u:a%40b@localhost/bursar?sslmode=require',
        servers: [place('one', 5433), place('two'), place('::1', 6000)],
      },
    )
  })

  it('stand in the query, with a port each or one for all', () => {
    const { url, servers } = parseHosts(
      'postgresql://u:p@/bursar?host=/run/a,/run/b&port=5601,5602&application_name=x',
    )
    assert.equal(url, 'postgresql://u:p@localhost/bursar?application_name=x')
    assert.deepEqual(servers, [place('/run/a', 5601), place('/run/b', 5602)])
    assert.deepEqual(parseHosts('postgres:///bursar?host=a,b&port=6000').servers, [
      place('a', 6000),
      place('b', 6000),
    ])
    assert.deepEqual(parseHosts('postgres://u@/bursar?host=a,::1').servers, [
      place('a'),
      place('::1'),
    ])
  })

  it('are refused where they cannot be right', () => {
    for (const [url, why] of [
      [
        'postgres://one,two/bursar?target_session_attrs=prefer-standby',
        /target_session_attrs=prefer-standby/,
      ],
      ['postgres://u@/bursar?host=a,b,c&port=1,2', /not as many ports as hosts/],
      ['postgres://one,/bursar', /cannot be read/],
      ['postgres://u@/bursar?host=a,b&port=x', /cannot be read/],
    ] as const)
      assert.throws(() => parseHosts(url), why)
  })
})
