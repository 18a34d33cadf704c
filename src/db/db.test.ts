import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { newDatabase } from '../../test/support/cluster.ts'
import { type Database, openDatabase, sqlOfAll, type Tx, transaction } from './db.ts'

const insert = sqlOfAll('test.insert', 'insert into notes (text) values ($1)')

describe('a savepoint', () => {
  let db: Database
  let drop: () => Promise<void>
  before(async () => {
    const made = await newDatabase()
    drop = made.drop
    db = openDatabase(made.ownerUrl, { max: 1, onError: () => {} })
    await db.query('create table notes (text text)')
  })
  beforeEach(async () => {
    await db.query('delete from notes')
    told.length = 0
  })
  after(async () => {
    await db.close()
    await drop()
  })

  const told: string[] = []
  const note = async (tx: Tx, text: string): Promise<void> => {
    await tx.rows(insert, [text])
    tx.afterCommit(() => {
      told.push(text)
    })
  }
  const failing = (tx: Tx, work: () => Promise<void>): Promise<void> =>
    assert.rejects(
      tx.savepoint(async () => {
        await work()
        throw new Error('on purpose')
      }),
      /on purpose/,
    )
  const assertKept = async (texts: string[]): Promise<void> => {
    const rows = await db.query<{ text: string }>('select text from notes order by text')
    assert.deepEqual([rows.map(({ text }) => text), told.toSorted()], [texts, texts])
  }

  it('that fails takes all with it that was done since, in others that succeeded too', async () => {
    await transaction(db, async (tx) => {
      await note(tx, 'a')
      await failing(tx, async () => {
        await note(tx, 'b')
        await tx.savepoint(() => note(tx, 'c'))
        await note(tx, 'd')
      })
      await note(tx, 'e')
    })
    await assertKept(['a', 'e'])
  })

  it('that fails inside another leaves the other as it was', async () => {
    await transaction(db, async (tx) => {
      await tx.savepoint(async () => {
        await note(tx, 'a')
        await failing(tx, () => note(tx, 'b'))
        await failing(tx, () => tx.savepoint(() => note(tx, 'c')))
        await note(tx, 'd')
      })
      await failing(tx, () => note(tx, 'e'))
    })
    await assertKept(['a', 'd'])
  })

  it('whose statement failed unheard is undone, and the transaction lives on', async () => {
    await transaction(db, async (tx) => {
      await note(tx, 'a')
      const unheard = async () => {
        await note(tx, 'b')
        await tx.rows(sqlOfAll('test.divide', 'select 1 / 0')).catch(() => {})
      }
      await assert.rejects(tx.savepoint(unheard), { code: '25P02' })
      await note(tx, 'c')
    })
    await assertKept(['a', 'c'])
  })

  it('does not save what was required and failed, even where nobody waited for it', async () => {
    const divide = sqlOfAll('test.divide_first', 'select 1 / 0')
    const refused = (): never => {
      throw new Error('not now')
    }
    for (const work of [
      (tx: Tx) => note(tx, 'a'),
      (tx: Tx) => tx.savepoint(() => note(tx, 'b')).catch(() => {}),
      async () => {},
    ]) {
      const whole = transaction(db, (tx) => {
        tx.require(divide, [], refused)
        return work(tx)
      })
      await assert.rejects(whole, /not now/)
    }
    await assert.rejects(
      transaction(db, (tx) =>
        tx
          .savepoint(async () => {
            tx.require(divide, [])
            await note(tx, 'c')
          })
          .catch(() => {}),
      ),
      { code: '22012' },
    )
    await assertKept([])
  })
})

describe('a transaction', () => {
  it('fails with what failed first of statements that were sent together, and not with what came after it', async (t) => {
    const made = await newDatabase()
    const db = openDatabase(made.ownerUrl, { max: 1, onError: () => {} })
    t.after(async () => {
      await db.close()
      await made.drop()
    })
    const fails = sqlOfAll('test.fails', 'select 1 / $1::integer')
    const works = sqlOfAll('test.works', 'select $1::integer')
    /** An error takes its time through each function on its way. */
    const deep = async (tx: Tx, depth: number): Promise<unknown> =>
      depth === 0 ? await tx.rows(fails, [0]) : await deep(tx, depth - 1)
    /** Both answers are there before either is read. */
    const dawdle = (): void => {
      for (const until = performance.now() + 200; performance.now() < until; );
    }
    await assert.rejects(
      transaction(db, (tx) => {
        setImmediate(dawdle)
        return Promise.all([deep(tx, 10), tx.rows(works, [1])])
      }),
      { code: '22012' },
    )
  })
})
