"""What the server answers: records with typed attributes, over the JSON as it came."""

from __future__ import annotations

from typing import Any, ClassVar, Generic, Mapping, TypeVar, Union, cast

#: How a value of an answer is read: by the name of a record, a list of such, or a map of such; None: as it came.
Shape = Union[str, "list[Any]", "dict[str, Any]", None]

T = TypeVar("T")

_registry: dict[str, type[Record]] = {}


class Record:
    """
    A record as the server answered it. Its fields are attributes; one whose name is a word of Python has a `_` behind it (`from_`).
    `record["from"]` finds a field by its name in the API. Fields of later servers, which this version does not know, are there too.
    """

    _shapes: ClassVar[Mapping[str, Shape]] = {}
    #: Fields whose attributes are called otherwise.
    _attributes: ClassVar[Mapping[str, str]] = {}
    #: Fields that an answer may leave out, which are None then.
    _optional: ClassVar[tuple[str, ...]] = ()
    #: The values of `type` by which a union chooses among its records.
    _variants: ClassVar[Mapping[str, str]] = {}

    def __init__(self, data: Mapping[str, Any]) -> None:
        fields: dict[str, Any] = {self._attributes.get(name, name): None for name in self._optional}
        for name, value in data.items():
            fields[self._attributes.get(name, name)] = read(self._shapes.get(name), value)
        fields["_data"] = data
        self.__dict__.update(fields)

    def __init_subclass__(cls) -> None:
        _registry[cls.__name__] = cls

    def __getitem__(self, name: str) -> Any:
        if name not in self._data and name not in self._optional:
            raise KeyError(name)
        return self.__dict__[self._attributes.get(name, name)]

    def __contains__(self, name: object) -> bool:
        return name in self._data

    def to_dict(self) -> dict[str, Any]:
        """The JSON as it came, as dictionaries and lists."""
        return dict(self._data)

    @property
    def _data(self) -> Mapping[str, Any]:
        return cast("Mapping[str, Any]", self.__dict__["_data"])

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is what the server answered, and cannot be changed")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is what the server answered, and cannot be changed")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and type(self) is type(other) and self._data == other._data

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in self.__dict__.items() if name != "_data")
        return f"{type(self).__name__}({fields})"


def read(shape: Shape, value: Any) -> Any:
    """Makes a record of a value, by its shape. What does not have that shape, from a later server, stays as it came."""
    if shape is None or value is None:
        return value
    if isinstance(shape, list):
        return [read(shape[0], one) for one in value] if isinstance(value, list) else value
    if isinstance(shape, dict):
        return {key: read(shape["*"], one) for key, one in value.items()} if isinstance(value, dict) else value
    if not isinstance(value, dict):
        return value
    cls = _registry[shape]
    chosen = cls._variants.get(str(value.get("type")))
    return (_registry[chosen] if chosen else cls)(value)


class PageFields(Generic[T]):
    """One page of a list."""

    docs: list[T]
    """The records of this page."""
    total_docs: int
    """Records that match, on all pages."""
    limit: int
    page: int
    total_pages: int
    has_next_page: bool
    has_prev_page: bool
    next_page: Union[int, None]
    prev_page: Union[int, None]

    def __init__(self, data: Mapping[str, Any], shape: Shape) -> None:
        self._data = data
        self.docs = [read(shape, one) for one in data["docs"]]
        self.total_docs = data["totalDocs"]
        self.limit = data["limit"]
        self.page = data["page"]
        self.total_pages = data["totalPages"]
        self.has_next_page = data["hasNextPage"]
        self.has_prev_page = data["hasPrevPage"]
        self.next_page = data["nextPage"]
        self.prev_page = data["prevPage"]

    def to_dict(self) -> dict[str, Any]:
        """The JSON as it came."""
        return dict(self._data)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(page={self.page}, total_docs={self.total_docs}, docs={self.docs!r})"
