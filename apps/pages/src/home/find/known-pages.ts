import type { SettingGroup } from '../../agents/settings/setting-texts.ts'
import { settingGroups, settingTexts } from '../../agents/settings/setting-texts.ts'
import { type Half, sections } from '../../shell/sections.ts'
import type { FoundItem } from './find-items.ts'

const others: readonly (readonly [href: string, label: string, half: Half, section: string])[] = [
  ['/searches/new', 'New search', 'devices', 'Devices'],
  ['/agents/_new', 'New agent', 'agents', 'Agents'],
  ['/tasks/new', 'New task', 'agents', 'Activity'],
  ['/graphs/_new', 'New graph', 'agents', 'Automations'],
]

/** Every page that can be gone to, of the APIs that are served. */
export function knownPages(isServed: (half: Half) => boolean): readonly FoundItem[] {
  const listed = sections.flatMap(({ label: section, half: own, pages }) =>
    pages.map(({ href, label, half = own }) => [href, label, half, section] as const),
  )
  return [...listed, ...others]
    .filter(([, , half]) => isServed(half))
    .map(([href, label, , section]) => ({
      id: `page ${href}`,
      kind: 'Page',
      label,
      ...(section !== label && { detail: section }),
      href,
    }))
}

/** Every setting, with the way to it. */
export function knownSettings(): readonly FoundItem[] {
  return settingGroups.flatMap((group) =>
    group.keys.map((key) => ({
      id: `setting ${key}`,
      kind: 'Setting' as const,
      label: settingTexts[key].label,
      detail: group.title,
      href: hrefOf(group),
    })),
  )
}

const hrefOf = ({ id }: SettingGroup) => (id.startsWith('channel_') ? `/channels/${id}` : `/settings#${id}`)
