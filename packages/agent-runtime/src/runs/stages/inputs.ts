import { whileStoreFails } from '../../concurrency/while-store-fails.ts'
import type { RunInput } from '../../store/ports/run-input-store.ts'
import type { Run } from '../loop/run.ts'
import type { NextTurn, Stopping } from '../loop/stage.ts'

/** Adds the messages to the run that its model has not read. They lead to one more model call, whatever the limits say. */
export async function readInputs(run: Run, next: NextTurn): Promise<void> {
  run.own.hasInputs = false
  const inputs = await unreadInputs(run)
  for (const { id, text, untrusted } of inputs) {
    if (untrusted) run.taint()
    run.add({ role: 'user', text, input: id, ...(untrusted && { untrusted }) })
    run.log.push({ event: 'message', data: { id, text } })
  }
  if (inputs.length === 0) return
  if (next.sumUp) next.counts = false
  next.sumUp = undefined
  next.stop = undefined
}

/** Lets a run that is about to stop go on if its model has not read all. */
export async function holdForInputs(run: Run, stopping: Stopping): Promise<void> {
  if ((await unreadInputs(run)).length === 0) return
  stopping.error = undefined
  stopping.goesOn = true
}

/** Messages that steer the run and that no model call has read. */
export async function unreadInputs(run: Run): Promise<readonly RunInput[]> {
  const { context, row, writer, signal } = run
  const list = () => context.store.listRunInputs([row.id], signal)
  const read = new Set(writer.messages.map((message) => message.role === 'user' && message.input))
  const inputs = await whileStoreFails(context, list, signal)
  return inputs.filter(({ mode, id }) => mode === 'steer' && !read.has(id))
}
