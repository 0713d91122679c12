"""The tables of a server: those in memory, and the saved ones, which are restored when needed."""

from collections import OrderedDict
from collections.abc import Callable

from starscout.game import GameError
from starscout.web.archive import Archive
from starscout.web.catalogue import Catalogue
from starscout.web.games import Table
from starscout.web.searches import Client, SearchPool
from starscout.web.setup import Setup, saved_setup
from starscout.web.warming import Warming

MAX_TABLES = 300
MAX_TABLES_OF_CLIENT = 40
"""Tables kept in memory, in total and for one browser; others are saved and restored when needed."""


class Tables:
    """The tables of a server. To make room, the least recently used tables without viewers are removed from memory."""

    def __init__(
        self, pool: SearchPool, warming: Warming, archive: Archive, catalogue: Catalogue,
        changed: Callable[[Table], None], limit: int = MAX_TABLES,
    ) -> None:  # fmt: skip
        self._pool, self._warming, self._archive, self._catalogue = pool, warming, archive, catalogue
        self._changed, self._limit = changed, limit
        self._tables: OrderedDict[str, Table] = OrderedDict()

    async def open(self, setup: Setup, owner: Client) -> Table:
        """Open a new table; raises GameError if all tables are in use."""
        table = Table(setup, owner, self._pool, self._warming, self._save)
        await self._add(table)
        return table

    async def _add(self, table: Table) -> None:
        own = [name for name, other in self._tables.items() if other.owner.id == table.owner.id]
        if len(own) >= MAX_TABLES_OF_CLIENT:
            await self._make_room(own)
        if len(self._tables) >= self._limit:
            await self._make_room(list(self._tables))
        self._tables[table.name] = table

    async def _make_room(self, names: list[str]) -> None:
        unused = next((name for name in names if self._tables[name].viewers == 0), None)
        if unused is None:
            raise GameError("all tables of this server are in use: try again later", code="server_full")
        await self._tables.pop(unused).close()

    async def find(self, name: str) -> Table:
        """Look up a table, or restore a saved one; raises GameError."""
        if name not in self._tables:
            data = self._archive.table(name)
            if data is None:
                raise GameError("this game no longer exists: start a new one", code="unknown_table")
            owner = Client(*data["owner"])
            table = Table(
                saved_setup(data, self._catalogue), owner, self._pool, self._warming, self._save, name
            )  # fmt: skip
            table.restore(data)
            await self._add(table)
        self._tables.move_to_end(name)
        return self._tables[name]

    def open_table(self, name: str) -> Table | None:
        """A table in memory."""
        return self._tables.get(name)

    def _save(self, table: Table) -> None:
        self._archive.save_table(table.name, table.saved())
        if table.over:
            self._archive.add_game(table.name, table.owner.id, table.record())
        else:
            self._archive.remove_game(table.name)
        self._changed(table)

    async def close(self) -> None:
        """Close all tables; they stay saved."""
        for table in self._tables.values():
            await table.close()
