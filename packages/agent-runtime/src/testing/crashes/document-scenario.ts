import type { AgentRuntime } from '../../runtime/runtime.ts'
import type { CrashScenario } from './scenario.ts'

const document = { name: 'notes.md', text: '# Foxes\nThe red fox sleeps.\n# Whales\nThe blue whale swims.' }

/** Waits until every document was read. */
async function untilRead(runtime: AgentRuntime): Promise<void> {
  for (;;) {
    const { documents } = await runtime.collections.documents('docs')
    if (documents.length > 0 && documents.every(({ status }) => status !== 'queued')) return
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}

/** A document that is added, read and searched. */
export const documentScenario: CrashScenario = {
  name: 'a document that is read',
  tools: [],
  models: {},
  async prepare(runtime) {
    await runtime.collections.create({ id: 'docs' })
  },
  begin: () => ({
    async work(runtime) {
      await runtime.start()
      await runtime.collections.add('docs', document)
      await untilRead(runtime)
    },
    async problems(runtime) {
      const { documents } = await runtime.collections.documents('docs')
      const states = documents.map(({ status, chunks }) => `${status} ${chunks}`)
      const found = await runtime.collections.search('docs', { q: 'fox whale' })
      const seen = [...states, ...found.map(({ heading }) => heading).toSorted()].join()
      return seen === 'ready 2,Foxes,Whales' ? [] : [`the documents: ${seen}`]
    },
  }),
}
