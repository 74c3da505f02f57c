/** The words by which titles.ts tells a sentence. A new verb is added to VERBS, in its place by the alphabet. */

const words = (text: string): string[] => text.trim().split(/\s+/);

/** What says something of a subject, whichever it is. */
const AUXILIARIES = words('is are has have does do can cannot may must need needs will goes');

/** Base forms. The third person is made of them. */
export const VERBS = words(`
  abort accept access acknowledge add adjust admit adopt affect agree alias allow alternate animate announce answer append appear
  apply arrive ask assign attempt avoid become become begin behave belong bind block bound break bring build call cancel
  carry cause change charge check choose cite claim clean clear close collect combine come commit compact compare compile
  complete compute confirm connect consider consist contain continue converge convert copy cost count cover crash create
  cut damage deadlock decide declare decode decrease define delay delete deliver demand depend derive describe deserve
  detect determine die differ disagree disappear disconnect discard dismiss distinguish disturb divide double download
  drain draw drop edit encode end enter equal escape estimate evict exceed exclude execute exist exit expect expedite
  expire explain export extend fail fall fetch fill filter find finish fire fit flush follow forbid force forget fork
  forward free freeze gain generate get give go grant grow guarantee guess hand hang happen have heal hide hold hunt
  hurry identify ignore import include increase influence inherit initialise install interrupt invalidate invite join judge
  keep kill know lack last lead learn leave let lie limit link list listen load locate lock log look lose lower make map
  mark match mean measure meet mention merge miss modify monitor move multiply name need never note notice notify obtain
  occupy offer omit open order overlap overtake overwrite own pack pad pair parse pass pause perform persist pick pin ping
  place play point poll postpone precede predict prefer prefetch prepare preserve prevent print process produce promise
  protect prove provide prune publish pull push put quarantine quit raise range reach re-export read rebuild receive recognise
  reconnect record recover recreate redeem reduce refer reflect refuse reject release reload rely remain remember remove
  rename render renew reopen reorder repair repeat replace replay report reproduce request require rescan reserve reset
  resolve respect respond restart restore result resume retry return reuse reveal reverse revoke rewrite round run sample
  save say scale scan schedule seal search see select send separate serve set settle shape share shift shorten show shrink
  shut silence simplify skip sleep snapshot sort specify spend split spread stack stage stall stand start state stay stop
  store stream stretch strike strip subscribe subtract succeed suffice suggest sum summarise supersede support survive
  suspend swap switch sync take tear terminate test think throw time touch track transfer transform travel treat trickle
  trigger trim truncate trust try turn understand undo unlink unpin update upload use validate vanish verify violate visit
  vouch wait wake walk want warn wash watch win withdraw work wrap write yield
`);

/** Each verb in the two forms of the present tense. */
export const VERB_FORMS: ReadonlySet<string> = new Set([
  ...AUXILIARIES,
  ...VERBS,
  ...VERBS.map(thirdPerson),
]);

/** Verbs that are nouns or adjectives as well: at the beginning of a title they may belong to the subject. */
export const NOUNS_TOO: ReadonlySet<string> = new Set(
  words(`
    access own open free clean set short aborts aliases answers attempts blocks bounds breaks calls changes checks claims commits copies costs counts crashes
    cuts damage delays undo restores orders handles watches deletes demands downloads edits ends exits fetches files fills flushes forks frees groups guesses hands
    holds hunts imports joins lasts leads limits links lists loads locks logs looks makes marks matches measures merges
    moves names needs notes offers opens packs pairs parses parts passes pauses pins places points polls
    prefetches processes promises pulls puts ranges reads records releases renames repairs replays reports requests
    results returns rounds runs samples saves scans seals searches sets shapes shares snapshots sorts splits stages
    starts states stops stores streams sums swaps syncs takes tests times traces transfers truncates turns updates
    uploads uses visits waits walks watches work works writes
  `),
);

/** A title that begins so hangs on something that it does not name. */
export const HANGING = words(
  'that which who whom whose what where when and or but nor not of as so also it its they their then again there',
);

/** What a clause before the subject begins with: a comma has to end it. */
export const PREPOSITIONS = words(
  `about after against among at because before behind below beneath beside besides between beyond by despite during for
   from if in inside into like near on onto out outside over since through to towards under unless until while with
   within without`,
);

/** What says nothing to who has not read the test, or is a word of ours for something that has a usual one. */
export const RIDDLES: readonly RegExp[] = [
  /\b(?:is|are) said\b/,
  /\b(?:tells?|told)\b/,
  /\bthe right one\b/,
  /\bas (?:ever|at first|it is at first)\b/,
  /\bis so\b/,
  /\bwhere (?:nothing|nobody|there is)\b/,
  /\bsays so\b/,
  /\bnobody hears\b/,
];

function thirdPerson(verb: string): string {
  if (/[^aeiou]y$/.test(verb)) return `${verb.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh|[^aeiou]o)$/.test(verb) ? `${verb}es` : `${verb}s`;
}
