import type { ReactNode } from 'react'
import { Tab, TabList, TabPanel, Tabs as AriaTabs } from 'react-aria-components'
import './tabs.css'

/** One of the tabs. */
interface TabItem {
  readonly id: string
  readonly label: ReactNode
  readonly content: ReactNode
}

/** What {@link Tabs} take. */
interface TabsProps {
  /** What the tabs are about, for screen readers. */
  readonly label: string
  readonly tabs: readonly TabItem[]
  /** The chosen one, where the page keeps it. @default the first, kept here */
  readonly selected?: string
  readonly onSelect?: (id: string) => void
}

/** Views of one thing, one at a time. Only the chosen one is rendered. */
export function Tabs({ label, tabs, selected, onSelect }: TabsProps) {
  return (
    <AriaTabs
      className="tabs"
      {...(selected !== undefined && { selectedKey: selected })}
      {...(onSelect && { onSelectionChange: (key) => onSelect(String(key)) })}
    >
      <TabList className="tab-list" aria-label={label}>
        {tabs.map(({ id, label: text }) => (
          <Tab key={id} id={id} className="tab">
            {text}
          </Tab>
        ))}
      </TabList>
      {tabs.map(({ id, content }) => (
        <TabPanel key={id} id={id} className="tab-panel">
          {content}
        </TabPanel>
      ))}
    </AriaTabs>
  )
}
