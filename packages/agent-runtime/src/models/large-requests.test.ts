import { expect, it } from 'vitest'
import { localWire, openWorld } from './testing/provider-world.ts'

const picture = (name: string) => ({
  name,
  media_type: 'image/png',
  data: Buffer.alloc(2_000_000, name),
})

it.each([
  ['413', 413, 'Request exceeds the maximum size'],
  ['a text about bytes', 400, 'Request payload size exceeds the limit: 7000000 bytes.'],
])(
  'leaves out old files that a provider rejects with %s, and forgets no history for it',
  async (_, status, message) => {
    const { standIn, ...wire } = localWire()
    const sizes: number[] = []
    const fetchSome: typeof fetch = async (input, init) => {
      const body = await new Request(input, init).text()
      sizes.push(body.length)
      if (body.length > 7_000_000) return Response.json({ error: { message } }, { status })
      return standIn.fetch(input, init)
    }
    await using world = await openWorld({ ...wire, hosts: { 'gpu.example': { fetch: fetchSome } } })
    const send = (task: string, names: readonly string[], conversation_id = 'chat') =>
      world.runtime.run({ agent_id: 'helper', task, conversation_id, files: names.map(picture) })

    for (const name of ['a', 'b', 'c'])
      expect(await send(`Look at ${name}`, [name])).toMatchObject({ success: true })
    const last = JSON.stringify(standIn.requests.at(-1)?.body)
    expect(last).toContain('The file \\"a\\" is not shown')
    expect(last).toContain('Look at a')
    const { length } = sizes
    expect(await send('Look at d', ['d'])).toMatchObject({ success: true })
    expect(sizes).toHaveLength(length + 1)

    const large = await send('All', ['a', 'b', 'c'], 'other')
    expect(large).toMatchObject({
      code: 'validation_error',
      error: expect.stringContaining('rejected the files of the message as too large (6000000 bytes)'),
    })
    for (let at = 0; at < 3; at += 1) await send(`${at} ${'word '.repeat(4000)}`, [], 'text')
    expect(JSON.stringify(standIn.requests.at(-1)?.body)).toContain('0 word')
  },
)
