import { useSearchParams } from 'wouter'
import { PageHeader } from '../../components/layout/page-header.tsx'
import { Tabs } from '../../components/layout/tabs.tsx'
import { AddSkill } from './add-skill.tsx'
import { InstalledSkills } from './installed-skills.tsx'
import { SkillStoreList } from './skill-store-list.tsx'

const tabs = ['installed', 'store', 'upload'] as const

/** Skills: those that are there, those of the store, and one's own. */
export function SkillsPage() {
  // In the address, so that a link, a reload and the way back keep it.
  const [search, setSearch] = useSearchParams()
  const tab = tabs.find((each) => each === search.get('tab')) ?? 'installed'
  const choose = (next: string) => setSearch(next === 'installed' ? {} : { tab: next })
  return (
    <>
      <PageHeader
        title="Skills"
        description="Modules that agents use: instructions, and tools that call services or run programs."
      />
      <Tabs
        label="Skills"
        selected={tab}
        onSelect={choose}
        tabs={[
          {
            id: 'installed',
            label: 'Installed',
            content: <InstalledSkills onAdd={() => choose('upload')} />,
          },
          { id: 'store', label: 'Store', content: <SkillStoreList /> },
          { id: 'upload', label: 'Upload', content: <AddSkill /> },
        ]}
      />
    </>
  )
}
