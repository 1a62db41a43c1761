/** What was made in the connected clouds and belongs to nothing any more. */
import { useState } from 'react'
import { useRead } from '../data/queries.ts'
import { Button } from '../ui/button.tsx'
import { Empty, Notice } from '../ui/notice.tsx'
import { Panel, Table } from '../ui/panel.tsx'
import { Shown } from '../ui/read.tsx'

/** Asked of the clouds only when it is wanted. */
export function Orphans() {
  const [wanted, setWanted] = useState(false)
  return (
    <Panel title="Left in the clouds" note="what svc made there and has no record of" flush>
      {wanted ? (
        <Found />
      ) : (
        <div className="p-4">
          <Button small onClick={() => setWanted(true)}>
            Look for it
          </Button>
        </div>
      )}
    </Panel>
  )
}

function Found() {
  const orphans = useRead('orphans.list', {})
  return (
    <Shown of={orphans} what="what is left in the clouds">
      {({ items, unanswered }) => (
        <>
          {unanswered.map(({ connection, message }) => (
            <div key={connection} className="px-4 pt-4">
              <Notice kind="warning">
                {connection} was not looked at, or not all of it: {message}.
              </Notice>
            </div>
          ))}
          {items.length === 0 ? (
            <div className="p-4">
              <Empty title="Nothing is left there">Users and buckets with the tag of svc all have their record.</Empty>
            </div>
          ) : (
            <Table
              label="Left in the clouds"
              head={['Name', 'What', 'Made for the bucket', 'Cloud connection', 'Project']}
            >
              {items.map(({ kind, name, store, connection, project }) => (
                <tr key={`${connection}/${kind}/${name}`}>
                  <td className="font-medium">{name}</td>
                  <td>{kind}</td>
                  <td>{store}</td>
                  <td>{connection}</td>
                  <td>{project}</td>
                </tr>
              ))}
            </Table>
          )}
        </>
      )}
    </Shown>
  )
}
