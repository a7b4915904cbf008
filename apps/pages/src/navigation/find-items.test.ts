import { expect, it } from 'vitest'
import { findItems, type FoundItem } from './find-items.ts'

const item = (kind: FoundItem['kind'], label: string, detail?: string): FoundItem => ({
  id: `${kind} ${label}`,
  kind,
  label,
  ...(detail !== undefined && { detail }),
  href: '/',
})
const labelsOf = (items: readonly FoundItem[]) => items.map(({ label }) => label)

it('lists the label that begins with the words before one that has them elsewhere', () => {
  const known = [
    item('Page', 'All devices'),
    item('Setting', 'Key', 'Devices'),
    item('Page', 'Device tokens'),
  ]
  expect(labelsOf(findItems('device', known))).toEqual(['Device tokens', 'All devices', 'Key'])
})

it('leaves out what lacks one of the words, and finds nothing without a word', () => {
  const known = [item('Agent', 'Weekly report'), item('Agent', 'Weekly letter')]
  expect(labelsOf(findItems('report weekly', known))).toEqual(['Weekly report'])
  expect(findItems('  ', known)).toEqual([])
})

it('keeps what the server matched by a text that does not show', () => {
  const device = { ...item('Device', 'NAS'), isMatched: true }
  expect(labelsOf(findItems('10.0.0.7', [device]))).toEqual(['NAS'])
})

it('shows the five best of a kind, so that no kind hides the others', () => {
  const devices = Array.from({ length: 9 }, (_, place) => item('Device', `pi ${place}`))
  expect(findItems('pi', [...devices, item('Page', 'API tokens pi')])).toHaveLength(6)
})
