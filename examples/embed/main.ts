import { createRuntime, type Tool } from '@homeward/agent-runtime'

const stock = new Map([
  ['apples', 12],
  ['pears', 0],
])

const stockOf: Tool = {
  id: 'stock_of',
  description: 'How many pieces of a product are in stock.',
  parameters: { type: 'object', properties: { product: { type: 'string' } }, required: ['product'] },
  effects: 'read',
  repeat: 'safe',
  untrusted: false,
  // arguments that do not match `parameters` never come here
  call: async ({ product }) => ({ pieces: stock.get(product as string) ?? 0 }),
}

// Without a `home` everything is in memory; `test/tools` needs no key: put in `openai/…`, `anthropic/…` or another one.
const runtime = createRuntime({ tools: [stockOf] })
await runtime.agents.create({ id: 'clerk', model: 'test/tools', personality: 'You know what is in stock.' })
const { output, steps } = await runtime.run({ agent_id: 'clerk', task: 'What is the stock of apples?' })
console.log(steps[0]?.tool, steps[0]?.args)
console.log(output)
await runtime.close()
