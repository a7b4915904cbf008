import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { all, compileStatement } from '@homeward/kit/sql'
import type { StoredMemory } from '../ports/memory-store.ts'
import { toWords } from '../ranking/to-words.ts'
import { fromJson } from '../sql/json.ts'
import type { MemoryRow } from '../sql/memories/memory-ranking.ts'
import type { Plan } from '../sql/plan.ts'
import type { RuntimeTables } from '../sql/schema.ts'
import { createMemoryWrites } from './memory-statements.ts'
import { toScopeWordsOf } from './memory-words.ts'

/** Memories that are read at once. */
const chunk = 500

/** Puts memories that belong to no user into the index of words again: there they were like those of any user. */
export function* markMemoriesOfNobody(db: Kysely<RuntimeTables>): Plan<void> {
  const { deleteWords, insertWords } = createMemoryWrites(db)
  const behind = compileStatement<{ seq: number }, MemoryRow>('read', ({ seq }) =>
    db
      .selectFrom('memories')
      .select(['seq', 'memory', 'words'])
      .where('seq', '>', seq)
      .orderBy('seq')
      .limit(sql.lit(chunk)),
  )
  let rows: readonly MemoryRow[]
  let seq = 0
  do {
    rows = yield* all(behind, { seq })
    for (const row of rows) {
      seq = row.seq
      const memory = fromJson<StoredMemory>(row.memory)
      if (memory.userId !== undefined) continue
      yield* all(deleteWords, row)
      const text = toWords(memory.text).join(' ')
      yield* all(insertWords, { seq, scope: toScopeWordsOf(memory).join(' '), text })
    }
  } while (rows.length > 0)
}
