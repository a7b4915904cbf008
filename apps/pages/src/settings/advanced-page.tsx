import { useEffect } from 'react'
import { usePlatformQuery } from '../api/platform.ts'
import { Card } from '../components/layout/card.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { settingGroups } from './setting-texts.ts'
import { SettingsForm } from './settings-form.tsx'

/** Models and channels have pages of their own. */
const groups = settingGroups.filter(({ id }) => id !== 'models' && !id.startsWith('channel_'))

/** Settings that few people need. */
export function AdvancedPage() {
  const query = usePlatformQuery('getSettings')
  return (
    <>
      <PageHeader
        title="Advanced settings"
        description="Stored in config.json, which only you can read. Environment variables of the server override these settings."
      />
      <QueryView query={query}>
        {(settings) => (
          <div className="stack">
            <ScrollToGroup />
            {groups.map(({ id, title, description, keys }) => (
              <div key={id} id={id}>
                <Card title={title}>
                  <p className="muted">{description}</p>
                  <SettingsForm settings={settings} keys={keys} />
                </Card>
              </div>
            ))}
          </div>
        )}
      </QueryView>
    </>
  )
}

/** Scrolls to the group that the address names behind `#`. */
function ScrollToGroup() {
  useEffect(() => {
    const scroll = () => document.getElementById(location.hash.slice(1))?.scrollIntoView()
    scroll()
    window.addEventListener('pushState', scroll)
    return () => window.removeEventListener('pushState', scroll)
  }, [])
  return null
}
