import type { CrashScenario } from './scenario.ts'

/** A PNG, as far as anybody looks. */
const picture = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3)
const about = { agent_id: 'reader', conversation_id: 'the-conversation' }

/** What `draw` returns. */
const drawing = Uint8Array.of(...picture, 4)

/**
 * A task with a picture, of which a tool draws another one and the model a third, and a later run of its conversation: each
 * call of the model has to get the same bytes.
 */
export const fileScenario: CrashScenario = {
  name: 'a task with a file, and its conversation',
  tools: [
    { id: 'look', repeat: 'safe' },
    { id: 'draw', repeat: 'once', picture: drawing },
    { id: 'send', repeat: 'once' },
  ],
  models: {
    reader: [
      {
        toolCalls: [
          { name: 'look', id: 'a', args: { at: 'picture' } },
          { name: 'draw', id: 'd', args: { what: 'it' } },
        ],
      },
      { toolCalls: [{ name: 'send', id: 'b', args: { to: 1 } }] },
      { files: [{ mediaType: 'image/png', data: Uint8Array.of(...picture, 5) }] },
      { text: 'A black one.' },
    ],
  },
  mustRead: picture,
  async prepare(runtime) {
    await runtime.agents.create({ id: 'reader', model: 'crash/reader', limits: { max_runtime: 60 } })
  },
  begin: () => ({
    async work(runtime) {
      await runtime.start()
      const files = [{ name: 'cat.png', media_type: 'image/png', data: picture }]
      const given = { ...about, task: 'What is it?', files, idempotency_key: 'first' }
      const { task } = await runtime.tasks.create(given)
      const isOpen = async () => ['queued', 'running'].includes((await runtime.tasks.get(task.id)).status)
      while (await isOpen()) await new Promise((resolve) => setTimeout(resolve, 1))
      await runtime.run({ ...about, task: 'Which color?', idempotency_key: 'second' })
    },
  }),
}
