import { settingRows } from '@homeward/contract/agent-platform'
import { expect, it } from 'vitest'
import { nameSettings, settingGroups, settingTexts } from './setting-texts.ts'

it('has each setting in one group, with a label', () => {
  const keys = settingGroups.flatMap((group) => group.keys)
  expect(keys.toSorted()).toEqual(Object.keys(settingRows).toSorted())
  expect(Object.values(settingTexts).filter(({ label }) => label.trim() === '')).toEqual([])
})

it('tells settings of one group apart by their labels', () => {
  for (const { id, keys } of settingGroups) {
    const labels = keys.map((key) => settingTexts[key].label)
    expect(new Set(labels).size, id).toBe(labels.length)
  }
})

it('names settings in texts of the server by their labels', () => {
  const text = 'Set channel_a_bot_token and channel_a_default_agent_id of channel_a, not channel_a_other.'
  expect(nameSettings(text)).toBe(
    'Set "Bot token" and "Agent that answers" of channel_a, not channel_a_other.',
  )
})
