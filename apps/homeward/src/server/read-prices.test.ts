import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readPrices } from './start-agent-server.ts'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'homeward-prices-'))
})
afterEach(() => rm(home, { recursive: true }))

const write = (text: string) => writeFile(join(home, 'prices.json'), text)

describe('the prices of models', () => {
  it('are none without a file', async () => {
    expect(await readPrices(home)).toEqual({})
  })

  it('are those of the file in the data home', async () => {
    const cached = { cachedInputPerMillion: 0.3, cacheWritePerMillion: 3.75 }
    const prices = { 'acme/big': { inputPerMillion: 3, outputPerMillion: 15, ...cached } }
    await write(JSON.stringify(prices))
    expect(await readPrices(home)).toEqual(prices)
  })

  it.each([
    'not json',
    '[]',
    '{"big":{"inputPerMillion":1,"outputPerMillion":1}}',
    '{"acme/big":{"inputPerMillion":-1,"outputPerMillion":1}}',
    '{"acme/big":{"inputPerMillion":1}}',
    '{"acme/big":{"inputPerMillion":1,"outputPerMillion":1,"cachedInputPerMillion":-1}}',
    '{"acme/big":{"inputPerMillion":1,"outputPerMillion":1,"input":2}}',
  ])('keep the server from starting when the file says %s', async (text) => {
    await write(text)
    await expect(readPrices(home)).rejects.toThrow(/prices\.json cannot be used.*inputPerMillion/s)
  })

  it('keep the server from starting when the file cannot be read', async () => {
    await expect(readPrices(join(home, '\0'))).rejects.toThrow('cannot be read')
  })
})
