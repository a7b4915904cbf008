import { expect, it } from 'vitest'
import { exportGroup, toCsvLine } from './export-group.ts'

it('quotes what would end a cell, and doubles quotes', () => {
  expect(toCsvLine(['a', 'b,c', 'say "no"', 'two\nlines', '', null, undefined])).toBe(
    'a,"b,c","say ""no""","two\nlines",,,\r\n',
  )
})

it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1', '＋1', '－1', '＠a'])(
  'C32: puts an apostrophe in front of %j, which a spreadsheet would run',
  (text) => {
    const [cell] = toCsvLine([text]).split('\r\n').slice(0, 1)
    expect(cell?.replace(/^"/, '').startsWith("'")).toBe(true)
  },
)

it('leaves numbers and other texts as they are', () => {
  expect(toCsvLine([-5, 12, true, 'a=b', "it's", { a: 1 }])).toBe('-5,12,true,a=b,it\'s,"{""a"":1}"\r\n')
})

it('C32: a CSV starts with the mark of UTF-8, so that a double click shows umlauts', async () => {
  const store = { listSearches: async () => ({ rows: [] }) }
  const resultFiles = { read: async <Row>(rows: readonly Row[]) => rows }
  const exported = { store, resultFiles, now: () => 0, userId: 'u', groupId: 'g' }
  const startOf = async (format: 'csv' | 'ndjson') =>
    Buffer.from(await new Response(exportGroup({ ...exported, format })).arrayBuffer()).toString('hex', 0, 3)
  expect(await startOf('csv')).toBe('efbbbf')
  expect(await startOf('ndjson')).toBe('')
})
