import { createRuntime, defineTool } from '@homeward/agent-runtime'
import * as z from 'zod'

const stock = new Map([
  ['apples', 12],
  ['pears', 0],
])

const stockOf = defineTool({
  id: 'stock_of',
  description: 'How many pieces of a product are in stock.',
  inputSchema: z.object({ product: z.string() }),
  effects: 'read',
  idempotent: true,
  returnsUntrustedContent: false,
  // arguments that do not match `input` never come here
  execute: ({ product }) => ({ pieces: stock.get(product) ?? 0 }),
})

// Without a `home` everything is in memory; `test/tools` needs no key: put in `openai/…`, `anthropic/…` or another one.
const runtime = createRuntime({ tools: [stockOf] })
await runtime.agents.put({ id: 'clerk', model: 'test/tools', instructions: 'You know what is in stock.' })
const { output, steps } = await runtime.run({ agent_id: 'clerk', task: 'What is the stock of apples?' })
console.log(steps[0]?.tool, steps[0]?.args)
console.log(output)
await runtime.close()
