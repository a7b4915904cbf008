import { expect, it } from 'vitest'
import { toCsv } from './to-csv.ts'

it('writes fields that a spreadsheet reads as they are, and calculates none of them', () => {
  const columns = [
    ['task', ({ task }: { task: string }) => task],
    ['cost', ({ cost }: { cost?: number }) => cost],
  ] as const
  const rows = [{ task: 'Say "hello", please\nnow', cost: 0.5 }, { task: '=HYPERLINK("x")' }]
  expect(toCsv<{ task: string; cost?: number }>(columns, rows)).toBe(
    '\uFEFFtask,cost\r\n"Say ""hello"", please\nnow",0.5\r\n"\'=HYPERLINK(""x"")",\r\n',
  )
})
