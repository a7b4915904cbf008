import { expect, it } from 'vitest'
import { findGuides } from './find-guides.ts'
import { loadGuide, splitTitle, toGuideImage, toGuidePage } from './guides.ts'

it('loads a guide by its name, and none by another', async () => {
  expect((await loadGuide('guides/graphs'))?.title).toBe('Graphs of agents')
  expect((await loadGuide(''))?.text).toContain('Quickstart')
  expect(await loadGuide('guides/nothing')).toBeUndefined()
})

it('leads from guide to guide, and leaves other links alone', () => {
  expect(toGuidePage('guides/graphs', 'durable-work.md#retries')).toBe('/help/guides/durable-work')
  expect(toGuidePage('guides/graphs', '../README.md')).toBe('/help')
  expect(toGuidePage('', 'guides/concepts.md')).toBe('/help/guides/concepts')
  expect(toGuidePage('guides/graphs', '../decisions/graphs.md#a10-graphs')).toBeUndefined()
  expect(toGuidePage('guides/graphs', 'https://example.com/a.md')).toBeUndefined()
  expect(toGuidePage('guides/graphs', '#section')).toBeUndefined()
})

it('has the drawings of the guides, and no image from elsewhere', () => {
  expect(toGuideImage('guides/concepts', 'images/system.svg')).toMatch(/svg/)
  expect(toGuideImage('guides/concepts', 'https://example.com/guides/images/a.svg')).toBeUndefined()
})

it('takes the first heading as the title', () => {
  expect(splitTitle('# Graphs\n\nText')).toEqual({ title: 'Graphs', text: 'Text' })
  expect(splitTitle('<!-- Written by a program. -->\n\n# Errors\n\nText')).toEqual({
    title: 'Errors',
    text: 'Text',
  })
  expect(splitTitle('Text')).toEqual({ title: 'Help', text: 'Text' })
})

it('finds guides by words, those with the words in the title first, and shows where they stand', async () => {
  const [first] = await findGuides('graphs agents')
  expect(first).toMatchObject({ name: 'guides/graphs', title: 'Graphs of agents' })
  expect((await findGuides('OFFLINE devices')).length).toBeGreaterThan(1)
  expect((await findGuides('heartbeat'))[0]?.excerpt.toLowerCase()).toContain('heartbeat')
  expect(await findGuides('no-such-word-anywhere')).toEqual([])
})
