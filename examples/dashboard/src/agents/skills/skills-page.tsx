import { useState } from 'react'
import { PageHeader } from '../../components/page-header.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { AddSkill } from './add-skill.tsx'
import { InstalledSkills } from './installed-skills.tsx'
import { SkillStoreList } from './skill-store-list.tsx'

/** Skills: those that are there, those of the store, and one's own. */
export function SkillsPage() {
  const [tab, setTab] = useState('installed')
  return (
    <>
      <PageHeader
        title="Skills"
        description="Modules that agents use: instructions, and tools that call services or run programs."
      />
      <Tabs
        label="Skills"
        selected={tab}
        onSelect={setTab}
        tabs={[
          { id: 'installed', label: 'Installed', content: <InstalledSkills onAdd={() => setTab('add')} /> },
          { id: 'store', label: 'Store', content: <SkillStoreList /> },
          { id: 'add', label: 'Upload', content: <AddSkill /> },
        ]}
      />
    </>
  )
}
