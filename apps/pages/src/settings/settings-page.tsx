import type { SettingsView } from '@homeward/contract/agent-platform'
import { KeyRound, ScrollText } from 'lucide-react'
import { Fragment, useEffect } from 'react'
import { usePlatformQuery } from '../api/platform.ts'
import { LinkButton } from '../components/buttons/link-button.tsx'
import { Card } from '../components/layout/card.tsx'
import { Disclosure } from '../components/layout/disclosure.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { NoticesCard } from '../notices/notices-card.tsx'
import { ModelProvidersCard } from './model-providers-card.tsx'
import { settingGroups, type SettingGroup } from './setting-texts.ts'
import { SettingsForm } from './settings-form.tsx'

const isChannel = ({ id }: SettingGroup) => id.startsWith('channel_')

/** The settings of the platform. */
export function SettingsPage() {
  const query = usePlatformQuery('getSettings')
  return (
    <>
      <PageHeader
        title="Settings"
        description="Stored in config.json, which only you can read. Environment variables of the server override these settings."
        actions={
          <>
            <LinkButton href="/settings/access-tokens" icon={<KeyRound aria-hidden />}>
              Access tokens
            </LinkButton>
            <LinkButton href="/settings/audit" icon={<ScrollText aria-hidden />}>
              Audit
            </LinkButton>
          </>
        }
      />
      <QueryView query={query}>
        {(settings) => (
          <div className="stack">
            <ScrollToGroup />
            {settingGroups
              .filter((group) => !isChannel(group))
              .map((group) => (
                <Fragment key={group.id}>
                  <SettingsCard group={group} settings={settings} />
                  {group.id === 'models' && <ModelProvidersCard />}
                </Fragment>
              ))}
            <NoticesCard />
            <Card title="Channels">
              <p className="muted">Each channel has its own page with its status and setup.</p>
              {settingGroups.filter(isChannel).map((group) => (
                <Disclosure key={group.id} title={group.title}>
                  <SettingsForm settings={settings} keys={group.keys} />
                </Disclosure>
              ))}
            </Card>
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

function SettingsCard({
  group,
  settings,
}: {
  readonly group: SettingGroup
  readonly settings: SettingsView
}) {
  const { id, title, description, keys } = group
  return (
    <div id={id}>
      <Card title={title}>
        <p className="muted">{description}</p>
        <SettingsForm settings={settings} keys={keys} />
      </Card>
    </div>
  )
}
