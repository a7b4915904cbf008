import { expect, it } from 'vitest'
import { mostViews, parseViews, withView } from './saved-views.ts'

it('keeps one view for each name, and the newest ones', () => {
  const views = Array.from({ length: mostViews }, (_, index) => ({ name: `v${index}`, search: '' }))
  expect(withView(views, { name: 'v3', search: 'q=x' })).toHaveLength(mostViews)
  expect(withView(views, { name: 'new', search: '' }).map(({ name }) => name)).not.toContain('v0')
})

it('reads what it does not know as no views', () => {
  expect(parseViews(null)).toEqual([])
  expect(parseViews('{')).toEqual([])
  expect(parseViews('[{"name":1}]')).toEqual([])
  expect(parseViews('[{"name":"a","search":"q=x"}]')).toEqual([{ name: 'a', search: 'q=x' }])
})
