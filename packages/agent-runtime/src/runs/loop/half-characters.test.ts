import { expect, it } from 'vitest'
import { agentOf, createKit, toolOf } from '../testing/run-kit.ts'

/** Half of a surrogate pair: no JSON of a provider may have it, and one request that has it fails, as all behind it. */
const half = '\uD83D'

it('A21: gives a model no half of a surrogate pair, wherever one comes from', async () => {
  const say = toolOf('say', ({ fail }) => {
    if (fail === true) throw new Error(`No ${half}`)
    return fail === false ? `a ${half} b` : { text: half, list: [half], when: new Date(0) }
  })
  const args = `{"word":"\\ud83d","whole":"\\ud83d\\ude00"}`
  const kit = createKit({
    agents: [agentOf({ personality: `You ${half}` })],
    instructions: `Skills ${half}`,
    tools: [say],
    steps: [
      { text: `I ${half}`, toolCalls: [{ name: 'say', args }] },
      {
        toolCalls: [
          { name: 'say', args: { fail: false } },
          { name: 'say', args: { fail: true } },
        ],
      },
      { text: 'Done.' },
    ],
  })
  expect(await kit.run(`Do ${half}`)).toMatchObject({ success: true, output: 'Done.' })
  const prompts = JSON.stringify(kit.model.calls.map(({ prompt }) => prompt))
  expect(prompts.match(/.{0,20}\\ud[89a-f].{0,20}/gi)).toBeNull()
  for (const part of ['Do \uFFFD', 'You \uFFFD', 'I \uFFFD', 'a \uFFFD b', 'No \uFFFD', '"whole":"😀"']) {
    expect(prompts).toContain(part)
  }
})
