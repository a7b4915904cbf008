import { expect, it } from 'vitest'
import { everyDevice } from './device-filter.ts'
import { offerFacets } from './device-facets.ts'

it('offers states, platforms and labels to narrow a list, the most frequent first', () => {
  const device = (platform: string, labels: string[]) => ({
    id: platform,
    name: platform,
    type: 'iot',
    platform,
    labels,
    metadata: {},
    status: 'online' as const,
    lastSeenAt: null,
    createdAt: '2026-01-01T00:00:00Z',
  })
  const devices = [device('macos', ['shop']), device('linux', ['shop', 'oslo']), device('linux', [])]
  const filter = { ...everyDevice, label: 'oslo', status: 'online' }
  const facets = offerFacets(devices, filter)
  expect(facets.map(({ value, isChosen }) => `${value} ${isChosen}`)).toEqual([
    'online true',
    'offline false',
    'linux false',
    'macos false',
    'shop false',
    'oslo true',
  ])
  expect(facets.map(({ next }) => next)).toEqual([
    { status: 'all' },
    { status: 'offline' },
    { platform: 'linux' },
    { platform: 'macos' },
    { label: 'oslo,shop' },
    { label: '' },
  ])
})
