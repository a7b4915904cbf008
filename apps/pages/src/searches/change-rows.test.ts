import { expect, it } from 'vitest'
import { toChangeRows } from './changes.tsx'

it('tells files that changed from those that came and went', () => {
  const device = { id: 'pi', name: 'Pi' }
  const file = (name: string, size: number) => ({ scope: 'files', name, path: `/a/${name}`, size })
  const rows = toChangeRows([
    {
      device,
      added: [file('new.txt', 1), file('list.txt', 2), { scope: 'system', cpu: 'b' }],
      changed: [{ before: file('kept.txt', 1), after: file('kept.txt', 2) }],
      removed: [file('list.txt', 1), file('old.txt', 1), { scope: 'system', cpu: 'a' }],
    },
  ])
  expect(rows.map(({ kind, name, detail }) => `${kind} ${name} ${detail}`)).toEqual([
    'added new.txt /a/new.txt',
    'changed list.txt /a/list.txt',
    'added system {"cpu":"b"}',
    'removed old.txt /a/old.txt',
    'removed system {"cpu":"a"}',
    'changed kept.txt /a/kept.txt',
  ])
  expect(new Set(rows.map(({ id }) => id)).size).toBe(6)
})
