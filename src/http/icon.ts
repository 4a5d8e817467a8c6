import { open } from "./policy";
import type { AppRouter } from "./router";

/** A petrel in flight. */
const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0f5666"/><path d="M2.6 13.2c3.7-3.5 7.9-4 11 .4.7 1 1.3 2.2 2.4 2.2s1.7-1.2 2.4-2.2c3.1-4.4 7.3-3.9 11-.4-4-.9-6.6.6-8.3 3.5-1.3 2.2-2.7 4.3-5.1 4.3s-3.8-2.1-5.1-4.3c-1.7-2.9-4.3-4.4-8.3-3.5z" fill="#fff"/></svg>`;

/** The same icon as an .ico file of 32 × 32 pixels, for programs that request `/favicon.ico` from every host. */
const ico =
  "AAABAAEAICAAAAEAIABcAwAAFgAAAIlQTkcNChoKAAAADUlIRFIAAAAgAAAAIAgGAAAAc3p69AAAAxFJREFUeJzsl21IU1EYx//3bnOabfM9y0r7oKFmL/bFpCQrMhNSKrTSSiyLQiI/hJERUVIahQUGg0wMidJGiBjZm2RiWdCwXGopYWCipmlTm5u62znDra6iXkF3v/T7cs95nrPz/Pecc597jhT/EpfsopTJ0gEmjPRWMwy8MAtwHLrIo460avXDw7koLeyz+hhrQ7k7NRos8hkwizCHcODaYcZhvebWY5sAZXxqFAlcATvCmbntVASj2nfMlRse/UTSvRB2xJIJzhzCcqbRg/YOTrEsNSc5ICWtMIgFic0y4EQTQGOTDDC+EAsSm4XIiC5AOpnDx90V4YH+lqfuWxte6T7DNDICIchlUmwIXo4VvovR1t2L141f0P6zT5iAzauCkR63DeuDAnj2gSEjLpeU4eaj55iKk7FROLUrBs5yOc9epWtCjqaciGnm2SWOwWvPWzs5yQm4krIHSz3dJ0zsIJVaxHm7uaDi/ccJfoYUk/wTh3A8Zotl7Hj8vDyQuDEcjg4OeFnf+Pd3qvgjHG1QxSx5KfsNQ/BSKbHM2xN7I9YhMTIcMomEN1le+TOcLdLwbFT80ehNPBtdsqLKGhRX16K1sxtdv/RQODli1GzGb6OJL2Aygpb4oOxcOjyUCp49Luu67Z9sXROCktNpPD9d89iLuWhu75hq+ukFUPwWeKIqOxOqeU42m95gwIV7pZCTdJ9J2MFb857+AURkZOF7T+90UwsTQIkKDUFxRpqQodh56QYqPzQIGiu4DjzR1qPwRfW0424/rRIcfEYCKJl3HpDN9GNSP13v8ZtzVgUMGo1Iuqa21ITx0D2RdFUNg8mEmcCrA0Kgr1LZWy0CfLzhppyPQSLmTVML4rPz8LWjCzNF8CacK/5/DcUXQE6nnRAJGptmoA7iUUe+f+IJoLFZIytRk8tbH+wNiUljs0P31a1mIAV2xsxxyTS25aRhatA2yQND35GcRJIbiwJzyNjlNKFfk19O+7ajjrFB22L0X1kgZ1lSzBla7BXklOWMWWDsel5DWnfJ9Xy/8WGBzur7AwAA//+6HF6TAAAABklEQVQDAD4nGPythJL3AAAAAElFTkSuQmCC";

/** Serves `/favicon.svg`, the icon of all our pages, and `/favicon.ico`. */
export function serveIcon(app: AppRouter): void {
  app.get("/favicon.svg", open, (c) =>
    c.body(icon, 200, { "Content-Type": "image/svg+xml", "Cache-Control": "public, max-age=86400" }),
  );
  app.get("/favicon.ico", open, (c) =>
    c.body(
      Uint8Array.from(atob(ico), (character) => character.charCodeAt(0)),
      200,
      {
        "Content-Type": "image/x-icon",
        "Cache-Control": "public, max-age=86400",
      },
    ),
  );
}
