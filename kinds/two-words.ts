/** Readable generated names: an adjective and a noun of the project's own lists. */

const adjectives =
  `able agile airy amber ample azure bold brave brief bright brisk broad calm candid careful casual cheery civil classic clean
clear clever cosy crisp curious daring deft dewy direct eager early earnest easy even exact fair famous fine firm fleet fluent fond frank
free fresh gentle glad golden good grand green handy happy hardy hearty honest humble ideal jolly keen kind lively loyal lucid lucky mellow
merry mighty mild modest neat nimble noble open patient placid plain polite prime proud quick quiet rapid ready regal robust rosy round
royal sharp shiny silent silver simple sleek smooth snowy social solid spare steady still sturdy subtle sunny super swift tidy true
upbeat urban vast vivid warm wise witty young zesty`.split(/\s+/)

const nouns =
  `acorn anchor apple arbor atlas badger banjo basin beacon birch bison breeze bridge brook cabin canoe canyon cedar cliff cloud
clover comet coral cove crane creek crest dawn delta dune eagle elm ember falcon fern field finch fjord flame forest fox garden geyser
glade grove harbor hawk hazel heron hill hollow island ivy jasper kestrel lagoon lake lantern lark laurel leaf ledge lily linden lynx
maple marsh meadow mesa mill moon moss oak ocean olive orchard otter owl panda path peak pearl pebble pine planet plaza pond poplar
prairie quail quartz rain raven reef ridge river robin sail sand shore sky spruce star stone storm stream summit swan thistle tide
timber trail tulip tundra valley violet walnut willow wren`.split(/\s+/)

const crowded = 8

/** `calm-otter`, or `calm-otter-3f` after several taken names. `random` returns a whole number below its argument. */
export function twoWords(taken: (name: string) => boolean, random: (below: number) => number): string {
  for (let attempt = 1; ; attempt += 1) {
    const words = `${adjectives[random(adjectives.length)]}-${nouns[random(nouns.length)]}`
    const name =
      attempt <= crowded ? words : `${words}-${random(16 ** Math.min(8, attempt - crowded + 1)).toString(16)}`
    if (!taken(name)) return name
  }
}
