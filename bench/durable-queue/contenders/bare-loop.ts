import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { CreateQueueContender } from '../queue-contender.ts'

/** The least that is durable: one row a task, a commit for each of its three changes, nothing else. */
export const createContender: CreateQueueContender = async (home) => {
  const database = new DatabaseSync(join(home, 'queue.db'))
  database.exec(`pragma journal_mode = wal; pragma synchronous = normal;
    create table tasks (id integer primary key, status integer not null, input text not null);
    create index tasks_open on tasks (status, id)`)
  const add = database.prepare('insert into tasks (status, input) values (0, ?)')
  const take = database.prepare(`update tasks set status = 1 where id =
    (select id from tasks where status = 0 order by id limit 1) returning id`)
  const finish = database.prepare('update tasks set status = 2 where id = ?')

  function work(): boolean {
    const row = take.get()
    if (row === undefined) return false
    finish.run(Number(row['id']))
    return true
  }

  return {
    async process(count) {
      for (let index = 0; index < count; index += 1) add.run(`task ${index}`)
      let done = 0
      while (work()) done += 1
      if (done !== count) throw new Error(`The loop carried out ${done} of ${count} tasks`)
    },
    async startOne() {
      const addedAt = performance.now()
      add.run('task')
      take.get()
      const ms = performance.now() - addedAt
      database.exec('update tasks set status = 2 where status = 1')
      return ms
    },
    close: async () => database.close(),
  }
}
