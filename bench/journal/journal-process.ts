import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createRuntime, type NewJournalEvent, type RuntimeStore } from '@homeward/agent-runtime'
import { createTestStore } from '@homeward/agent-runtime/testing'
import { createSqliteStore } from '@homeward/agent-runtime/sqlite'
import { answerParent } from '../child.ts'

/** Events of one write: what a step of a run brings. */
const eventsOfWrite = 4
const pageSize = 200

/** What a contender can be asked for. */
export type JournalCalls = {
  /** Appends so many events, `atOnce` writes at a time. @returns seconds. */
  append(events: number, atOnce: number): Promise<number>
  /** Reads the whole journal from its start, in order. @returns seconds and how many there were. */
  replay(): Promise<{ seconds: number; events: number }>
}

const startedAtMs = Date.now()
const [kind = '', folder = ''] = process.argv.slice(2)

const eventOf = (index: number): NewJournalEvent => ({
  type: index % 2 === 0 ? 'tool.called' : 'tool.completed',
  timestamp: new Date(startedAtMs + index).toISOString(),
  runId: `run-${index >> 6}`,
  data: {
    agent_id: 'bench',
    tool: 'search',
    call_id: `call-${index}`,
    args: { query: 'what is where', limit: 10 },
  },
})

const writeOf = (start: number) => Array.from({ length: eventsOfWrite }, (_, index) => eventOf(start + index))

/** The journal as anybody would write it over Node's own SQLite. */
function createBare(): JournalCalls {
  const db = new DatabaseSync(join(folder, 'bare.db'))
  db.exec('pragma journal_mode = wal; pragma synchronous = normal')
  db.exec('create table journal (seq integer primary key, type text, run_id text, timestamp text, data text)')
  db.exec('create index journal_run on journal (run_id, seq)')
  const insert = db.prepare('insert into journal (type, run_id, timestamp, data) values (?, ?, ?, ?)')
  const select = db.prepare('select * from journal where seq > ? order by seq limit ?')
  const [begin, commit] = [db.prepare('begin immediate'), db.prepare('commit')]
  return {
    async append(events) {
      const startedAt = performance.now()
      for (let start = 0; start < events; start += eventsOfWrite) {
        begin.run()
        for (const { type, runId = null, timestamp, data } of writeOf(start)) {
          insert.run(type, runId, timestamp, JSON.stringify(data))
        }
        commit.run()
      }
      return secondsSince(startedAt)
    },
    async replay() {
      const startedAt = performance.now()
      let seq = 0
      let events = 0
      for (;;) {
        const rows = select.all(seq, pageSize)
        for (const row of rows) {
          JSON.parse(String(row['data']))
          seq = Number(row['seq'])
          events += 1
        }
        if (rows.length < pageSize) return { seconds: secondsSince(startedAt), events }
      }
    },
  }
}

function createOwn(store: RuntimeStore): JournalCalls {
  const runtime = createRuntime({ store, environment: {} })
  return {
    async append(events, atOnce) {
      let next = 0
      const writer = async () => {
        while (next < events) {
          const start = next
          next += eventsOfWrite
          await store.appendEvents(writeOf(start))
        }
      }
      const startedAt = performance.now()
      await Promise.all(Array.from({ length: atOnce }, writer))
      return secondsSince(startedAt)
    },
    async replay() {
      const last = await runtime.logs.lastSeq()
      const startedAt = performance.now()
      let events = 0
      for await (const { seq } of runtime.logs.follow({ since: 0 })) {
        events += 1
        if (seq === last) break
      }
      return { seconds: secondsSince(startedAt), events }
    },
  }
}

const secondsSince = (startedAt: number) => (performance.now() - startedAt) / 1000

if (kind === 'bare') answerParent(createBare())
else if (kind === 'sqlite') answerParent(createOwn(createSqliteStore({ path: join(folder, 'agents.db') })))
else answerParent(createOwn(createTestStore()))
