import type { Kysely } from 'kysely'
import { buildOnce, change, compileStatement, first } from '@homeward/kit/sql'
import type { LoadedInput } from '../../ports/channel-input.ts'
import type { NewChannelMessage } from '../../ports/channel-store.ts'
import { fromJson } from '../json.ts'
import type { Plan } from '../plan.ts'
import type { RuntimeTables } from '../schema.ts'
import type { TaskPlans } from '../tasks/task-plans.ts'
import { createMessageStatements } from './channel-statements.ts'

/** The verb of `ChannelStore` on files that were loaded as a plan. */
export function createLoadedInputPlans(
  db: Kysely<RuntimeTables>,
  { changeTaskInput }: Pick<TaskPlans, 'changeTaskInput'>,
) {
  const messages = { ...buildOnce(db, createMessageStatements), ...buildOnce(db, createInputStatements) }
  return {
    *saveLoadedInput({ messageId, taskId, owner, text, input, files }: LoadedInput): Plan<boolean> {
      const row = yield* first(messages.find, { id: messageId })
      if (row === undefined || row.task_id !== taskId) return false
      if (!(yield* changeTaskInput(taskId, owner, { input, files }))) return false
      const { files: _loaded, ...message } = fromJson<NewChannelMessage>(row.message)
      yield* change(messages.setMessage, { id: messageId, message: JSON.stringify({ ...message, text }) })
      return true
    },
  }
}

function createInputStatements(db: Kysely<RuntimeTables>) {
  return {
    setMessage: compileStatement<{ id: string; message: string }, unknown>('write', ({ id, message }) =>
      db.updateTable('channel_messages').set({ message }).where('id', '=', id),
    ),
  }
}
